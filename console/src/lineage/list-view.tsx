import { groupSingular } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { moreText, stageTitle } from './graph-view.tsx'
import { edgesOf, type Lineage, type LineageNode, nameOf } from './lineage.ts'
import { RecordNode, type RecordNodeProps } from './record-node.tsx'

type ListViewProps = Omit<RecordNodeProps, 'node' | 'folded' | 'onFold'> & {
  busy: string | null
  onMore: (list: string) => void
}

/** The content of the graph as a list, for screen readers and small screens. */
export const ListView = ({ lineage, busy, onMore, ...rest }: ListViewProps) => {
  const byColumn = Map.groupBy(lineage.nodes.values(), ({ column }) => column)
  const columns = [...byColumn].toSorted(([a], [b]) => a - b)
  const before = Map.groupBy(edgesOf(lineage), ({ to }) => to)
  return (
    <div className="lineage-list">
      {columns.map(([column, nodes]) => (
        <section key={column}>
          <h2>
            {stageTitle(column)} <span>{nodes.length}</span>
          </h2>
          <ul>
            {nodes.map((node) => (
              <li
                key={node.key}
                className={node.key === lineage.start ? 'item item-start' : 'item'}
              >
                <RecordNode
                  {...{ lineage, node }}
                  {...rest}
                  folded={null}
                  onFold={() => undefined}
                />
                <span className="item-from">
                  {fromText(
                    lineage,
                    (before.get(node.key) ?? []).flatMap(
                      ({ from }) => lineage.nodes.get(from) ?? [],
                    ),
                  )}
                </span>
              </li>
            ))}
            {[...lineage.truncated]
              .filter(([, { relation }]) => nodes.some(({ resource }) => resource === relation.to))
              .map(([key, list]) => (
                <li key={key}>
                  <button type="button" disabled={busy !== null} onClick={() => onMore(key)}>
                    {texts().lineage.moreOf(moreText(list), ownerName(lineage, list.from))}
                  </button>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

const ownerName = (lineage: Lineage, key: string): string => {
  const node = lineage.nodes.get(key)
  return node ? nameOf(lineage, node) : ''
}

const fromText = (lineage: Lineage, nodes: readonly LineageNode[]): string =>
  nodes.length === 0
    ? ''
    : texts().lineage.from(
        nodes.map((node) => `${groupSingular(node.group)} ${nameOf(lineage, node)}`).join(', '),
      )
