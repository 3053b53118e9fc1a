import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Api } from '../api.ts'
import { type Group, groups, incoming } from '../contract.ts'
import { countText } from '../figures.ts'
import { listLink } from '../links.ts'
import { groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { totalQuery } from '../totals.ts'
import { useVisibility } from '../visibility.ts'

interface Pointer {
  readonly group: Group
  /** The referring field, or the collection in between. */
  readonly by: string
  readonly filter: string | null
}

/** The lists of records that refer to this one, directly or through a third collection. */
const pointersTo = (path: string): readonly Pointer[] => [
  ...incoming(path).map(({ group, field, filter }) => ({ group, by: field, filter })),
  ...groups.flatMap((group) =>
    group.filters
      .filter(({ field, to }) => field === null && to === path)
      .map(({ name }) => ({ group, by: texts().record.through(name), filter: name })),
  ),
]

/** The records that refer to this one, counted once the section is visible. */
export const Incoming = ({ api, group, id }: { api: Api; group: Group; id: string }) => {
  const [place, isVisible] = useVisibility<HTMLElement>()
  const pointers = pointersTo(group.path)
  return (
    <section ref={place} className="incoming" aria-labelledby="incoming-title">
      <h2 id="incoming-title">{texts().record.referencedBy}</h2>
      {pointers.length === 0 && <p className="quiet">{texts().record.unreferenced}</p>}
      <ul>
        {pointers.map((pointer) => (
          <li key={`${pointer.group.path} ${pointer.by}`}>
            <PointerLink api={api} pointer={pointer} id={id} isVisible={isVisible} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface PointerLinkProps {
  readonly api: Api
  readonly pointer: Pointer
  readonly id: string
  readonly isVisible: boolean
}

const PointerLink = ({ api, pointer, id, isVisible }: PointerLinkProps) => {
  const { group, by, filter } = pointer
  const filters = filter === null ? {} : { [filter]: id }
  const { data, error } = useQuery({
    ...totalQuery(api, group.path, filters),
    enabled: isVisible && filter !== null,
  })
  const name = (
    <>
      {groupTitle(group)} <span className="quiet">{by}</span>
    </>
  )
  if (filter === null) {
    return (
      <span>
        {name} <span className="count">{texts().record.noFilter}</span>
      </span>
    )
  }
  return (
    <Link href={listLink(api.brand, group.path, filters)} className={data === 0 ? 'none' : ''}>
      <span>{name}</span>
      <span className="count" title={error?.message}>
        {error ? '!' : data === undefined ? '…' : countText(data)}
      </span>
    </Link>
  )
}
