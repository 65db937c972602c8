"""VESTA UI: long-video question answering by an agent you can watch think.

An agent is a generator of events; everything else records, replays, folds or draws that one stream.

    ui        gradio and plotly live only here
    runs      run threads, recorder, fold, compare, reports
    agents    vesta, save, explore, native: they emit events and never import each other
    exploration   what save, explore and native share
    operations · router · policies · compact · state
    ledger · scene_index · roles
    encoders · models · shots · transcript · playback
    video
    settings · events
    domain · errors

Each row imports only rows below it. Importing the package has no effects.
"""

__version__ = "0.1.0"
