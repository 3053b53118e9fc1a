import {
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { stages, type TruncatedList } from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import { texts } from '../texts/index.ts'
import { drawingOf, type OpenHeads } from './drawing.ts'
import { type Box, type Layout, layoutOf, nodeSize } from './layout.ts'
import { type DrawnEdge, type Lineage, titleOfTarget } from './lineage.ts'
import { Minimap } from './minimap.tsx'
import { RecordNode, type RecordNodeProps } from './record-node.tsx'
import { usePrintScale, useZoom } from './use-zoom.ts'
import { ZoomButtons } from './zoom-buttons.tsx'

type GraphViewProps = Omit<RecordNodeProps, 'node' | 'folded' | 'onFold'> & {
  busy: string | null
  open: OpenHeads
  onOpen: (open: OpenHeads) => void
  onMore: (list: string) => void
}

/**
 * Below these scales a record shows only its kind and name in larger letters, then only its name.
 */
const far = { near: 0.7, name: 0.6 }

const distanceOf = (scale: number): 'near' | 'far' | 'farthest' =>
  scale >= far.near ? 'near' : scale >= far.name ? 'far' : 'farthest'

/** The records as a graph from left to right. It starts with the whole chain in view. */
export const GraphView = ({ lineage, busy, open, onOpen, onMore, ...rest }: GraphViewProps) => {
  const scroller = useRef<HTMLElement>(null)
  const [pointed, setPointed] = useState<string | null>(null)
  const drawing = useMemo(() => drawingOf(lineage, open), [lineage, open])
  const layout = useMemo(() => layoutOf(lineage, drawing), [lineage, drawing])
  const lit = useMemo(() => threadOf(drawing.edges, pointed), [drawing, pointed])
  const boxes = useMemo(() => layout.nodes.toSorted((a, b) => a.x - b.x || a.y - b.y), [layout])
  const zoom = useZoom(scroller, layout)
  const printScale = usePrintScale(layout)
  const scale = printScale ?? zoom.scale
  const words = texts().lineage

  const lookAt = useAnchor(scroller, lineage, layout, scale)
  const scrollTo = (x: number) => {
    const element = scroller.current
    if (element) element.scrollLeft = (x + nodeSize.width / 2) * scale - element.clientWidth / 2
  }
  const toggle = (key: string) => {
    const heads = open === 'all' ? new Set(lineage.nodes.keys()) : new Set(open)
    if (!heads.delete(key)) heads.add(key)
    onOpen(heads)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '+' || event.key === '=') zoom.step(true)
    else if (event.key === '-') zoom.step(false)
    else if (event.key === '0') zoom.fit()
    else if (event.key === '1') zoom.full()
    else return
    event.preventDefault()
  }

  return (
    <div className="graph">
      <div className="graph-bar">
        <ol className="graph-stages" aria-label={words.goToStage}>
          {layout.columns.map(({ column, x }) => (
            <li key={column}>
              <button
                type="button"
                onClick={() => {
                  if (zoom.isFit) zoom.full()
                  // The scale changes in the next frame.
                  requestAnimationFrame(() => scrollTo(x))
                }}
              >
                {stageTitle(column)}{' '}
                <span className="graph-stage-count">{countIn(drawing.nodes, column)}</span>
              </button>
            </li>
          ))}
        </ol>
        <ZoomButtons zoom={zoom} />
      </div>
      <section
        ref={scroller}
        className="graph-scroll"
        aria-label={words.drawing}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        {zoom.isMeasured && (
          <div
            className="graph-canvas"
            style={{ width: layout.width, height: layout.height, zoom: scale }}
            data-lit={pointed !== null}
            data-distance={distanceOf(scale)}
          >
            <div className="graph-columns" aria-hidden="true">
              {layout.columns.map(({ column, x }) => (
                <span key={column} style={{ left: x }}>
                  {stageTitle(column)}
                </span>
              ))}
            </div>
            <svg width={layout.width} height={layout.height} aria-hidden="true">
              {layout.edges.map(({ key, path }) => (
                <path key={key} d={path} className={lit.has(key) ? 'edge edge-lit' : 'edge'} />
              ))}
              {layout.edges.map(({ key, label, end }) =>
                label === '' ? null : (
                  <text key={key} x={end.x - 5} y={end.y - 5} className="edge-label">
                    {label}
                  </text>
                ),
              )}
            </svg>
            {boxes.map((box) => {
              const node = lineage.nodes.get(box.key)
              return (
                node && (
                  <article
                    key={box.key}
                    className={nodeClass(box.key === lineage.start, lit.has(box.key))}
                    style={placed(box)}
                    onPointerEnter={() => {
                      setPointed(box.key)
                      lookAt(box)
                    }}
                    onPointerLeave={() => setPointed(null)}
                    onFocus={() => {
                      setPointed(box.key)
                      lookAt(box)
                    }}
                    onBlur={() => setPointed(null)}
                  >
                    <RecordNode
                      {...{ lineage, node }}
                      {...rest}
                      folded={drawing.folded.get(box.key) ?? null}
                      onFold={toggle}
                    />
                  </article>
                )
              )
            })}
            {layout.more.map((box) => {
              const list = lineage.truncated.get(box.key)
              return (
                list && (
                  <button
                    key={box.key}
                    type="button"
                    className="node-list"
                    style={placed(box)}
                    disabled={busy !== null}
                    onClick={() => onMore(box.key)}
                  >
                    {moreText(list)}
                  </button>
                )
              )
            })}
          </div>
        )}
      </section>
      <Minimap layout={layout} box={scroller} scale={scale} start={lineage.start} />
    </div>
  )
}

/** Keeps the last used record at its position on the screen when the drawing changes. */
const useAnchor = (
  scroller: RefObject<HTMLElement | null>,
  lineage: Lineage,
  layout: Layout,
  scale: number,
) => {
  const anchor = useRef({ key: lineage.start, box: undefined as Box | undefined })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new drawing moves anything
  useLayoutEffect(() => {
    const { key, box: before } = anchor.current
    const box = layout.nodes.find((each) => each.key === key)
    if (box && before) {
      scroller.current?.scrollBy((box.x - before.x) * scale, (box.y - before.y) * scale)
    }
    anchor.current.box = box
  }, [layout])
  return (box: Box) => {
    anchor.current = { key: box.key, box }
  }
}

/** `17 more of 20 shipment cartons` */
export const moreText = ({ total, shown, relation }: TruncatedList<Row>): string =>
  texts().lineage.more(total - shown, total, titleOfTarget(relation))

export const stageTitle = (column: number): string => {
  const { stages: titles, otherStage } = texts().lineage
  const title = stages[column]?.title
  return (title === undefined ? undefined : titles[title]) ?? otherStage
}

const countIn = (nodes: readonly { readonly column: number }[], column: number): number =>
  nodes.filter((node) => node.column === column).length

const placed = ({ x, y, width, height }: Box) => ({ left: x, top: y, width, height })

const nodeClass = (isStart: boolean, isLit: boolean): string =>
  ['node', isStart && 'node-start', isLit && 'node-lit'].filter(Boolean).join(' ')

/** The thread through a record: everything it came from and everything that follows from it. */
const threadOf = (edges: readonly DrawnEdge[], key: string | null): ReadonlySet<string> => {
  if (key === null) return new Set()
  const lit = new Set([key])
  const pull = (next: (edge: DrawnEdge) => readonly [string, string]) => {
    const queue = [key]
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const edge of edges) {
        const [near, far] = next(edge)
        if (near !== at || lit.has(edge.key)) continue
        lit.add(edge.key)
        lit.add(far)
        queue.push(far)
      }
    }
  }
  pull(({ from, to }) => [from, to])
  pull(({ from, to }) => [to, from])
  return lit
}
