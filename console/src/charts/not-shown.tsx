import { Link } from 'wouter'
import { groupAt } from '../contract.ts'
import { countText } from '../figures.ts'
import type { TooLong } from '../lineage/rows.ts'
import { listLink } from '../links.ts'

interface NotShownProps {
  readonly brand: string
  readonly tooLong: readonly TooLong[]
  /** What is missing; the whole figure by default. */
  readonly what?: string
}

/** Says which figures are missing because their lists are too long, with links to the lists. */
export const NotShown = ({ brand, tooLong, what }: NotShownProps) =>
  tooLong.length === 0 ? null : (
    <p className="not-shown">
      {what ? `${what} not shown: ` : 'Not shown: '}
      {tooLong.map(({ collection, filters, max, isLookup }, place) => (
        <span key={`${collection} ${new URLSearchParams(filters)}`}>
          {place > 0 && ', '}
          {isLookup
            ? `more than ${countText(max)} records to look up in `
            : `more than ${countText(max)} `}
          <Link href={listLink(brand, collection, filters)}>{titleOf(collection, filters)}</Link>
        </span>
      ))}
      .
    </p>
  )

const titleOf = (collection: string, { status }: { readonly [name: string]: string }): string => {
  const title = groupAt(collection)?.title.toLowerCase() ?? collection
  return status === undefined ? title : `${status.replaceAll('_', ' ')} ${title}`
}
