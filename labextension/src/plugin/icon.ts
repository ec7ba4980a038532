import { LabIcon } from "@jupyterlab/ui-components";

/** Three boxes of a graph, joined from top to bottom; the colour is JupyterLab's own for file icons. */
export const onnxIcon = new LabIcon({
  name: "onnx-explorer:model",
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 22 22">
  <g class="jp-icon3 jp-icon-selectable" fill="#616161">
    <rect x="7" y="2" width="8" height="5" rx="1.5"/>
    <rect x="2" y="15" width="8" height="5" rx="1.5"/>
    <rect x="12" y="15" width="8" height="5" rx="1.5"/>
    <path d="M10.2 7h1.6v3.2h5v4.8h-1.6v-3.2H6.8V15H5.2v-4.8h5z"/>
  </g>
</svg>`,
});
