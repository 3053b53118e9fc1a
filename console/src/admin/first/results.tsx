import type { UploadChange, UploadCounts, UploadResult } from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'
import { asText } from '../../values.ts'
import { type Column, Table } from '../table.tsx'
import { collectionTitle } from './previews.tsx'
import { Problems } from './problems.tsx'

/** What an import changed, or what it would change. */
export const Results = ({ result }: { result: UploadResult }) => {
  const words = adminTexts().upload
  const { collections, changes, problems, errors, warnings } = result
  const total = collections.reduce((sum, each) => sum + each.added + each.changed + each.removed, 0)
  return (
    <div className="upload-results">
      <p className={result.isRefused ? 'upload-error' : 'upload-good'} role="status">
        {outcomeOf(result, total)}
      </p>
      {collections.length > 0 && (
        <Table
          label={words.counts}
          columns={countColumns()}
          rows={collections}
          rowKey={({ collection }) => collection}
        />
      )}
      {collections
        .filter(({ keptMissing }) => keptMissing)
        .map(({ collection }) => (
          <p key={collection}>{words.keptMissing(collectionTitle(collection))}</p>
        ))}
      {problems.length > 0 && (
        <>
          <h3>{words.problemCount(errors, warnings)}</h3>
          <Problems problems={problems} total={errors + warnings} />
        </>
      )}
      {changes.length > 0 && (
        <>
          <h3>{words.differences}</h3>
          {total > changes.length && (
            <p className="quiet">{words.firstChanges(changes.length, total)}</p>
          )}
          <Table
            label={words.differences}
            columns={changeColumns()}
            rows={changes}
            rowKey={({ operation, collection, id }) => `${operation} ${collection} ${id}`}
          />
        </>
      )}
    </div>
  )
}

const outcomeOf = (result: UploadResult, total: number): string => {
  const words = adminTexts().upload
  if (result.isRefused) return result.isWritten ? words.imported(total) : words.refused
  if (!result.isWritten) return words.wouldChange(total)
  return [
    words.imported(total),
    result.waitingRows > 0 && words.waiting(result.waitingRows),
    (result.brokenRules ?? 0) > 0 && words.brokenRules(result.brokenRules ?? 0),
  ]
    .filter(Boolean)
    .join(' ')
}

const countColumns = (): readonly Column<UploadCounts>[] => {
  const words = adminTexts().upload
  const counts = ['read', 'added', 'changed', 'unchanged', 'removed'] as const
  return [
    {
      key: 'collection',
      title: words.collection,
      cell: ({ collection }) => collectionTitle(collection),
    },
    ...counts.map((name) => ({
      key: name,
      title: words.countTitles[name],
      isNumber: true,
      cell: (each: UploadCounts) => countText(each[name]),
    })),
    {
      key: 'held',
      title: words.countTitles.held,
      isNumber: true,
      cell: ({ parked, refused }) => countText(parked + refused),
    },
  ]
}

const tones = { added: 'good', changed: 'quiet', removed: 'bad' } as const

const changeColumns = (): readonly Column<UploadChange>[] => {
  const words = adminTexts().upload
  return [
    {
      key: 'record',
      title: words.record,
      cell: ({ title, id }) => (
        <>
          {title !== null && <span className="admin-name">{title}</span>}
          <span className="admin-note mono">{id}</span>
        </>
      ),
    },
    {
      key: 'collection',
      title: words.collection,
      cell: ({ collection }) => collectionTitle(collection),
    },
    {
      key: 'operation',
      title: words.change,
      cell: ({ operation }) => (
        <span className={`chip chip-${tones[operation]}`}>{words.operations[operation]}</span>
      ),
    },
    {
      key: 'fields',
      title: words.fields,
      cell: ({ fields }) =>
        fields.length === 0 ? (
          '–'
        ) : (
          <ul className="upload-fields">
            {fields.map(({ field, before, after }) => (
              <li key={field}>
                <code>{field.slice(1)}</code> <del>{shown(before)}</del> → <ins>{shown(after)}</ins>
              </li>
            ))}
          </ul>
        ),
    },
  ]
}

const shown = (value: unknown): string => asText(value).slice(0, 200) || '–'
