"""The look of Gradio's own controls, so that they are one with the panels. Fonts come with gradio; nothing is fetched."""

from __future__ import annotations

import gradio as gr
from gradio.themes.utils.fonts import LocalFont

INK = gr.themes.Color(
    "#f7f8fa", "#eef1f4", "#e0e5ea", "#c8cfd7", "#97a1ad", "#6a7480", "#4d5661", "#363d46", "#20262d", "#161a1f", "#0e1114"
)
BLUE = gr.themes.Color(
    "#eaf4fb", "#d2e8f6", "#a5d1ed", "#6db3df", "#3392cd", "#0072b2", "#00629a", "#00517f", "#004064", "#002f4a", "#001e30"
)


def theme() -> gr.themes.Base:
    """Neutral surfaces, one accent: colour on the page is left to the evidence."""
    return gr.themes.Base(
        primary_hue=BLUE,
        secondary_hue=INK,
        neutral_hue=INK,
        spacing_size=gr.themes.sizes.spacing_sm,
        radius_size=gr.themes.sizes.radius_md,
        text_size=gr.themes.sizes.text_md,
        font=[LocalFont("IBM Plex Sans", (400, 700)), "system-ui", "sans-serif"],
        font_mono=[LocalFont("IBM Plex Mono", (400, 700)), "ui-monospace", "monospace"],
    ).set(
        body_background_fill="var(--v-bg)",
        body_background_fill_dark="var(--v-bg)",
        body_text_color="var(--v-ink)",
        body_text_color_dark="var(--v-ink)",
        body_text_color_subdued="var(--v-mut)",
        body_text_color_subdued_dark="var(--v-mut)",
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        block_border_width="0px",
        block_border_width_dark="0px",
        block_label_background_fill="transparent",
        block_label_background_fill_dark="transparent",
        block_padding="0px",
        block_shadow="none",
        block_shadow_dark="none",
        layout_gap="8px",
        form_gap_width="0px",
        input_background_fill="var(--v-field)",
        input_background_fill_dark="var(--v-field)",
        input_border_width="1px",
        input_border_width_dark="1px",
        input_border_color="var(--v-line2)",
        input_border_color_dark="var(--v-line2)",
        input_border_color_focus="var(--v-accent)",
        input_border_color_focus_dark="var(--v-accent)",
        input_placeholder_color="var(--v-mut)",
        input_placeholder_color_dark="var(--v-mut)",
        input_shadow="none",
        input_shadow_focus="none",
        button_primary_background_fill="var(--v-accent-fill)",
        button_primary_background_fill_dark="var(--v-accent-fill)",
        button_primary_background_fill_hover="var(--v-accent-deep)",
        button_primary_background_fill_hover_dark="var(--v-accent-deep)",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#ffffff",
        button_secondary_background_fill="var(--v-soft)",
        button_secondary_background_fill_dark="var(--v-soft)",
        button_secondary_background_fill_hover="var(--v-line)",
        button_secondary_background_fill_hover_dark="var(--v-line)",
        button_secondary_text_color="var(--v-ink)",
        button_secondary_text_color_dark="var(--v-ink)",
        button_secondary_border_color="var(--v-line2)",
        button_secondary_border_color_dark="var(--v-line2)",
        button_border_width="1px",
        button_border_width_dark="1px",
        button_transition="none",
        button_small_padding="4px 12px",
    )
