import { numberFormat } from '../locale.ts'
import { texts } from '../texts/index.ts'
import type { Zoom } from './use-zoom.ts'

/** Zooms out, in, and to the whole drawing. */
export const ZoomButtons = ({ zoom }: { zoom: Zoom }) => {
  const words = texts().lineage
  return (
    <div className="graph-zoom">
      <button
        type="button"
        aria-label={words.smaller}
        disabled={!zoom.canShrink}
        onClick={() => zoom.step(false)}
      >
        −
      </button>
      <output className="graph-scale" aria-label={words.scale}>
        {numberFormat({ style: 'percent' }).format(zoom.scale)}
      </output>
      <button
        type="button"
        aria-label={words.larger}
        disabled={!zoom.canGrow}
        onClick={() => zoom.step(true)}
      >
        +
      </button>
      <button type="button" aria-pressed={zoom.isFit} onClick={zoom.fit}>
        {words.fit}
      </button>
    </div>
  )
}
