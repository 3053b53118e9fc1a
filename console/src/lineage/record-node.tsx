import { Link } from 'wouter'
import type { Api } from '../api.ts'
import { countText, dayText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { asWords, toneOf } from '../values.ts'
import { type Lineage, type LineageNode, nameOf, openRelations } from './lineage.ts'
import { markOf, nodeFacts } from './node-facts.ts'
import type { Quantities } from './quantities.ts'

export type RecordNodeProps = {
  api: Api
  lineage: Lineage
  node: LineageNode
  counted: Quantities | undefined
  onExpand: (key: string) => void
}

/** A record on the page: a link to it, its figures, and a button to expand it. */
export const RecordNode = ({ api, lineage, node, counted, onExpand }: RecordNodeProps) => {
  const { pieces, money, date, status, struck } = nodeFacts(lineage, node)
  const mark = markOf(node, counted)
  const name = nameOf(lineage, node)
  const open = openRelations(lineage, node).length
  return (
    <>
      <span className="node-kind">
        <span className="node-group">{node.group.singular}</span>
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
        {node.isMissing && (
          <span className="chip chip-bad" title="Other records refer to it, but it does not exist">
            missing
          </span>
        )}
        {mark && <span className={`node-mark mark-${mark.tone}`}>{mark.text}</span>}
        {(struck ?? status) && (
          <span className={`chip chip-${struck ? 'bad' : toneOf(status ?? '')}`}>
            {struck ?? asWords(status ?? '')}
          </span>
        )}
        {pieces !== null && <span>{countText(pieces)} pcs</span>}
        {money && <span>{money}</span>}
      </span>
      {open > 0 && (
        <button
          type="button"
          className="node-more"
          aria-label={`Expand ${node.group.singular} ${name}`}
          title="Expand"
          onClick={() => onExpand(node.key)}
        >
          +
        </button>
      )}
    </>
  )
}
