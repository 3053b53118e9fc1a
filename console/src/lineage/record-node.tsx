import { Link } from 'wouter'
import type { Api } from '../api.ts'
import { dayText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { groupSingular, groupTitle, valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { toneOf } from '../values.ts'
import type { Folded } from './drawing.ts'
import { type Lineage, type LineageNode, nameOf, openRelations } from './lineage.ts'
import { type Mark, markOf, nodeFacts } from './node-facts.ts'
import type { Quantities } from './quantities.ts'

export type RecordNodeProps = {
  api: Api
  lineage: Lineage
  node: LineageNode
  counted: Quantities | undefined
  /** The lines folded into the record. */
  folded: readonly Folded[] | null
  onFold: (key: string) => void
  onExpand: (key: string) => void
}

/** A record on the page: a link to it, its facts, its folded lines, and a button that expands it. */
export const RecordNode = (props: RecordNodeProps) => {
  const { api, lineage, node, counted, folded, onFold, onExpand } = props
  const { pieces, money, date, status, struck } = nodeFacts(lineage, node)
  const mark = markOf(node, counted) ?? foldedMark(folded, counted)
  const name = nameOf(lineage, node)
  const open = openRelations(lineage, node).length
  const words = texts().lineage
  return (
    <>
      <span className="node-kind">
        <span className="node-group">{groupSingular(node.group)}</span>
        {node.isMissing && (
          <span className="chip chip-bad" title={words.missingWhy}>
            {words.missing}
          </span>
        )}
        {date && (
          <time dateTime={date} title={date}>
            {dayText(date)}
          </time>
        )}
      </span>
      {node.group.hasRecord && !node.isMissing ? (
        <Link
          className={struck ? 'node-name node-struck' : 'node-name'}
          href={recordLink(api.brand, node.group.path, node.id)}
          title={name}
        >
          {name}
        </Link>
      ) : (
        <span className="node-name" title={node.isMissing ? node.id : undefined}>
          {name}
        </span>
      )}
      <span className="node-facts">
        {mark && <span className={`node-mark mark-${mark.tone}`}>{mark.text}</span>}
        {(struck ?? status) && (
          <span className={`chip chip-${struck ? 'quiet' : toneOf(status ?? '')}`}>
            {struck ? words.strikes[struck] : valueLabel(status ?? '')}
          </span>
        )}
        {money && <span>{money}</span>}
        {pieces !== null && <span>{words.pieces(pieces)}</span>}
      </span>
      {folded && (
        <button
          type="button"
          className="node-folded"
          aria-label={words.unfold(foldedText(folded), name)}
          title={foldedText(folded)}
          onClick={() => onFold(node.key)}
        >
          <span>{foldedText(folded)}</span>
        </button>
      )}
      {open > 0 && (
        <button
          type="button"
          className="node-more"
          aria-label={words.expand(groupSingular(node.group), name)}
          title={words.expandShort}
          onClick={() => onExpand(node.key)}
        >
          +
        </button>
      )}
    </>
  )
}

/** `10 order items, 2 legs` */
export const foldedText = (folded: readonly Folded[]): string =>
  folded
    .map(({ group, count }) =>
      texts().lineage.folded(count, groupSingular(group), groupTitle(group)),
    )
    .join(', ')

/** The number of folded lines with a difference. */
const foldedMark = (
  folded: readonly Folded[] | null,
  counted: Quantities | undefined,
): Mark | null => {
  const marks = (folded ?? []).flatMap(({ nodes }) =>
    nodes.flatMap((node) => markOf(node, counted) ?? []),
  )
  if (marks.length === 0) return null
  const tone = marks.some((mark) => mark.tone === 'bad') ? 'bad' : 'warn'
  return { text: texts().lineage.linesDiffer(marks.length), tone }
}
