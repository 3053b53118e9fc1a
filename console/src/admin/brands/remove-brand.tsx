import { useState } from 'react'
import { Link } from 'wouter'
import type { OperatorRemoval, OperatorRemoved } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { groupAt } from '../../contract.ts'
import { countText } from '../../figures.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { groupTitle } from '../../texts/contract.ts'
import { useAdmin } from '../admin.ts'
import { Confirm } from '../form-dialog.tsx'
import { useRead, useReload } from '../reading.ts'

interface RemoveBrandProps {
  readonly slug: string
  readonly name: string
  readonly onClose: () => void
}

/** Removes a brand with everything that belongs to it, after showing what that is. */
export const RemoveBrand = ({ slug, name, onClose }: RemoveBrandProps) => {
  const words = adminTexts().brands
  const { api, report, refreshSession } = useAdmin()
  const reload = useReload()
  const [withImages, setWithImages] = useState(false)
  const path = `/brands/${encodeURIComponent(slug)}`
  const { data, error, refetch } = useRead<OperatorRemoval>(`${path}/removal`, {
    images: withImages ? 'true' : undefined,
  })
  const submit = async () => {
    const body = { confirm: slug, images: withImages }
    const removed = await api.change<OperatorRemoved>('DELETE', path, body)
    await reload('/brands', '/keys')
    report(words.removed(name, removed.records))
    refreshSession()
    onClose()
  }
  return (
    <Confirm
      title={words.removeTitle(name)}
      action={words.removeNow}
      typed={slug}
      isReady={data !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.removeSentence}</p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data && <RemovalFacts removal={data} onFollow={onClose} />}
      <div className="admin-choice">
        <label>
          <input
            type="checkbox"
            checked={withImages}
            onChange={(event) => setWithImages(event.target.checked)}
          />
          <span>{words.removeImages}</span>
        </label>
      </div>
    </Confirm>
  )
}

interface RemovalFactsProps {
  readonly removal: OperatorRemoval
  readonly onFollow: () => void
}

const RemovalFacts = ({ removal, onFollow }: RemovalFactsProps) => {
  const words = adminTexts().brands
  const { records, collections, quarantined, usage, images, keys } = removal
  const facts: readonly (readonly [string, number | null])[] = [
    [words.records, records],
    [words.rows, quarantined],
    [words.usageRows, usage],
    [words.imageFiles, images],
  ]
  return (
    <>
      <dl className="admin-facts">
        {facts.map(
          ([label, count]) =>
            count !== null && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{countText(count)}</dd>
              </div>
            ),
        )}
      </dl>
      {collections.length > 0 && (
        <details>
          <summary>{words.byGroup(collections.length)}</summary>
          <ul className="admin-counts">
            {collections.map(({ collection, records: count }) => (
              <li key={collection}>
                {titleOf(collection)} <span className="number">{countText(count)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {keys.length > 0 && (
        <p className="admin-warning">
          {words.keysStay(keys.length)}{' '}
          <Link href={`/keys?${new URLSearchParams({ brand: removal.brand })}`} onClick={onFollow}>
            {keys.map(({ id, name }) => name || id).join(', ')}
          </Link>
        </p>
      )}
    </>
  )
}

const titleOf = (path: string): string => {
  const group = groupAt(path)
  return group ? groupTitle(group) : path
}
