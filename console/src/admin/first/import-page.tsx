import { useId } from 'react'
import { Link } from 'wouter'
import type { OperatorBrands } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { Empty, Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { useFilters } from '../filters.tsx'
import { Page } from '../page.tsx'
import { useRead, useReload } from '../reading.ts'
import { ImportFlow } from './import-flow.tsx'

/** In the address, in place of a slug. */
const shared = '*'

/** Imports files for any brand. */
export const ImportFilePage = () => {
  const words = adminTexts().upload
  const filters = useFilters(['brand', 'upload'])
  const { brand, upload } = filters.values
  const { data, error, refetch } = useRead<OperatorBrands>('/brands')
  const reload = useReload()
  const brands = data?.items ?? []
  const chosen = brand || (brands[0]?.slug ?? '')
  return (
    <Page title={words.title} about={words.about}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data && brands.length === 0 && (
        <Empty>
          <p>{words.noBrand}</p>
          <Link className="button" href="/first">
            {adminTexts().first.title}
          </Link>
        </Empty>
      )}
      {data && brands.length > 0 && (
        <>
          <OwnerChoice
            brands={data}
            value={chosen}
            onChange={(next) => filters.set({ brand: next })}
          />
          <ImportFlow
            brand={chosen === shared ? null : chosen}
            uploadId={upload || null}
            onUploadId={(id) => filters.set({ upload: id ?? '' })}
            onImported={() => void reload('/brands', '/imports', '/units')}
            next={
              <Link className="button primary" href="/brands">
                {adminTexts().brands.title}
              </Link>
            }
          />
        </>
      )}
    </Page>
  )
}

interface OwnerChoiceProps {
  readonly brands: OperatorBrands
  readonly value: string
  readonly onChange: (brand: string) => void
}

/** A choice of brands, or a field for a slug if there are more than one page. */
const OwnerChoice = ({ brands, value, onChange }: OwnerChoiceProps) => {
  const words = adminTexts().upload
  const id = useId()
  return (
    <div className="admin-field upload-owner">
      <label htmlFor={id}>{words.owner}</label>
      {brands.nextCursor === null ? (
        <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
          {brands.items.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name} ({slug})
            </option>
          ))}
          <option value={shared}>{words.shared}</option>
        </select>
      ) : (
        <input
          id={id}
          defaultValue={value}
          spellCheck={false}
          onBlur={({ target }) => onChange(target.value.trim())}
        />
      )}
    </div>
  )
}
