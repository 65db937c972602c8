"""The page: gradio and plotly live only in this room.

    launch    flags → a served page; page · tabs   what is on it; panels   one `gr.HTML` per panel, JSON in, events out
    attach    the stream a browser tab holds on a run; handlers   commands; routes   read-only data and media
    view · timeline · ledger_view · route_view · detail   session → plain JSON, without gradio

The browser's half is `assets/page/`. A run never depends on a page: closing every tab changes nothing for it.
"""
