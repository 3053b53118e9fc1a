import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { stages, type TruncatedList } from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import { countText } from '../figures.ts'
import { type Box, layoutOf, nodeSize } from './layout.ts'
import { type DrawnEdge, edgesOf, type Lineage } from './lineage.ts'
import { RecordNode, type RecordNodeProps } from './record-node.tsx'

type GraphViewProps = Omit<RecordNodeProps, 'node'> & {
  busy: string | null
  onMore: (list: string) => void
}

const scales = [1, 0.85, 0.7]

/** The records as a drawing from left to right. It scrolls; it never shrinks to be unreadable. */
export const GraphView = ({ lineage, busy, onMore, ...rest }: GraphViewProps) => {
  const scroller = useRef<HTMLElement>(null)
  const [scale, setScale] = useState(0)
  const [pointed, setPointed] = useState<string | null>(null)
  const layout = useMemo(() => layoutOf(lineage), [lineage])
  const lit = useMemo(() => threadOf(lineage, pointed), [lineage, pointed])
  const boxes = useMemo(() => layout.nodes.toSorted((a, b) => a.x - b.x || a.y - b.y), [layout])
  const zoom = scales[scale] ?? 1

  const scrollTo = ({ x, y, width, height }: Pick<Box, 'x' | 'width'> & Partial<Box>) => {
    const element = scroller.current
    if (!element) return
    element.scrollLeft = (x + width / 2) * zoom - element.clientWidth / 2
    if (y !== undefined) {
      element.scrollTop = (y + (height ?? 0) / 2) * zoom - element.clientHeight / 2
    }
  }
  // The drawing begins at its start. When it grows, the record that was last looked at stays where
  // it is on the screen.
  const anchor = useRef({ key: lineage.start, box: undefined as Box | undefined })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new drawing moves anything
  useLayoutEffect(() => {
    const { key, box: before } = anchor.current
    const box = layout.nodes.find((each) => each.key === key)
    if (box && !before) scrollTo(box)
    if (box && before) {
      scroller.current?.scrollBy((box.x - before.x) * zoom, (box.y - before.y) * zoom)
    }
    anchor.current.box = box
  }, [layout])
  const lookAt = (box: Box) => {
    setPointed(box.key)
    anchor.current = { key: box.key, box }
  }

  return (
    <div className="graph">
      <div className="graph-bar">
        <ol className="graph-stages" aria-label="Go to a stage">
          {layout.columns.map(({ column, x }) => (
            <li key={column}>
              <button type="button" onClick={() => scrollTo({ ...nodeSize, x })}>
                {stageTitle(column)}{' '}
                <span className="graph-stage-count">{countIn(lineage, column)}</span>
              </button>
            </li>
          ))}
        </ol>
        <div className="graph-zoom">
          <button
            type="button"
            aria-label="Smaller"
            disabled={scale === scales.length - 1}
            onClick={() => setScale(scale + 1)}
          >
            −
          </button>
          <button
            type="button"
            aria-label="Larger"
            disabled={scale === 0}
            onClick={() => setScale(scale - 1)}
          >
            +
          </button>
        </div>
      </div>
      <section ref={scroller} className="graph-scroll" aria-label="Drawing" tabIndex={0}>
        <div
          className="graph-canvas"
          style={{ width: layout.width, height: layout.height, zoom }}
          data-lit={pointed !== null}
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
                  onPointerEnter={() => lookAt(box)}
                  onPointerLeave={() => setPointed(null)}
                  onFocus={() => lookAt(box)}
                  onBlur={() => setPointed(null)}
                >
                  <RecordNode {...{ lineage, node }} {...rest} />
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
      </section>
    </div>
  )
}

/** `17 more of 20 shipment cartons` */
export const moreText = ({ total, shown, relation }: TruncatedList<Row>): string =>
  `${countText(total - shown)} more of ${countText(total)} ${relation.to.group.toLowerCase()}`

const stageTitle = (column: number): string => stages[column]?.title ?? 'Other'

const countIn = (lineage: Lineage, column: number): number =>
  [...lineage.nodes.values()].filter((node) => node.column === column).length

const placed = ({ x, y, width, height }: Box) => ({ left: x, top: y, width, height })

const nodeClass = (isStart: boolean, isLit: boolean): string =>
  ['node', isStart && 'node-start', isLit && 'node-lit'].filter(Boolean).join(' ')

/** The thread through a record: everything it came from and everything that follows from it. */
const threadOf = (lineage: Lineage, key: string | null): ReadonlySet<string> => {
  if (key === null) return new Set()
  const edges = edgesOf(lineage)
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
