import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Api } from '../api.ts'
import { type Group, groups, incoming } from '../contract.ts'
import { countText } from '../figures.ts'
import { listLink } from '../links.ts'
import { useSeen } from '../seen.ts'
import { totalQuery } from '../totals.ts'

interface Pointer {
  readonly group: Group
  /** The field that refers to the record, or what it is found through. */
  readonly by: string
  readonly filter: string | null
}

/** Every list that holds records about this one: by a field of theirs, or through a third. */
const pointersTo = (path: string): readonly Pointer[] => [
  ...incoming(path).map(({ group, field, filter }) => ({ group, by: field, filter })),
  ...groups.flatMap((group) =>
    group.filters
      .filter(({ field, to }) => field === null && to === path)
      .map(({ name }) => ({ group, by: `through ${name}`, filter: name })),
  ),
]

/** Everything that points at a record, counted when it comes into sight. */
export const Incoming = ({ api, group, id }: { api: Api; group: Group; id: string }) => {
  const [place, isSeen] = useSeen<HTMLElement>()
  const pointers = pointersTo(group.path)
  return (
    <section ref={place} className="incoming" aria-labelledby="incoming-title">
      <h2 id="incoming-title">Points here</h2>
      {pointers.length === 0 && <p className="quiet">No group refers to this one.</p>}
      <ul>
        {pointers.map((pointer) => (
          <li key={`${pointer.group.path} ${pointer.by}`}>
            <PointerLink api={api} pointer={pointer} id={id} isSeen={isSeen} />
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
  readonly isSeen: boolean
}

const PointerLink = ({ api, pointer, id, isSeen }: PointerLinkProps) => {
  const { group, by, filter } = pointer
  const filters = filter === null ? {} : { [filter]: id }
  const { data, error } = useQuery({
    ...totalQuery(api, group.path, filters),
    enabled: isSeen && filter !== null,
  })
  const name = (
    <>
      {group.title} <span className="quiet">{by}</span>
    </>
  )
  if (filter === null) {
    return (
      <span>
        {name} <span className="count">no filter</span>
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
