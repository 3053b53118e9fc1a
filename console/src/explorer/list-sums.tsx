import { useState } from 'react'
import type { Filters } from '../api.ts'
import { copyText } from '../copy-text.ts'
import type { Sums } from '../summary.ts'
import { texts } from '../texts/index.ts'
import type { CellContext } from './cell-text.ts'
import { type Column, fieldNames } from './column.ts'
import { Download } from './download.tsx'
import { includesOfList } from './list-query.ts'
import { copiedMax, readRows, rowsText } from './list-rows.ts'
import { noSelection, type Selection } from './selection.ts'
import { summedFields, sumRows } from './sums.ts'
import { SumsLine } from './sums-line.tsx'
import './list-sums.css'

interface ListSumsProps extends Omit<CellContext, 'responses'> {
  readonly columns: readonly Column[]
  readonly selection: Selection
  readonly onSelect: (selection: Selection) => void
  /** The number of records of the whole list, and their sums. */
  readonly total: number
  readonly sums: Sums | null
  /** The conditions and the order of the list. */
  readonly sent: Filters
}

/** The foot of a list: the totals of the whole list, or of the selected records. */
export const ListSums = (props: ListSumsProps) => {
  const { columns, selection, onSelect, total, sums, group, baseCurrency } = props
  const t = texts().explorer
  const fields = summedFields(columns)
  const count = selection.isAll ? total : selection.rows.size
  if (count === 0) {
    if (sums === null || fields.length === 0) return null
    return (
      <section className="list-sums" aria-label={t.totals}>
        <p>{t.wholeList(total)}</p>
        <SumsLine {...{ fields, sums }} />
      </section>
    )
  }
  const selected = selection.isAll
    ? sums
    : sumRows(group, fields, [...selection.rows.values()], baseCurrency ?? '')
  return (
    <section className="list-sums list-selected" aria-label={t.selection}>
      <p role="status">{t.selectedRecords(count)}</p>
      {selected && <SumsLine {...{ fields }} sums={selected} />}
      <div className="selection-actions">
        {!selection.isAll && count < total && (
          <button type="button" onClick={() => onSelect({ ...noSelection, isAll: true })}>
            {t.selectAll(total)}
          </button>
        )}
        <CopyRows {...props} count={count} />
        <DownloadRows {...props} count={count} />
        <button type="button" className="plain" onClick={() => onSelect(noSelection)}>
          {t.clearSelection}
        </button>
      </div>
    </section>
  )
}

/** Copies the selected rows as they are shown. */
const CopyRows = ({ count, ...props }: ListSumsProps & { readonly count: number }) => {
  const { columns, selection, sent, ...context } = props
  const { api, group } = context
  const [said, setSaid] = useState<string | null>(null)
  const t = texts().explorer
  const copy = async () => {
    setSaid(t.copying)
    try {
      const rows = selection.isAll
        ? await readRows(api, group, sent, includesOfList(group, columns, sent))
        : [...selection.rows.values()]
      const isCopied = await copyText(await rowsText(context, columns, rows))
      setSaid(isCopied ? t.rowsCopied(rows.length) : t.notCopied)
    } catch {
      setSaid(t.notCopied)
    }
    setTimeout(() => setSaid(null), 2_500)
  }
  const isTooLong = count > copiedMax
  return (
    <button
      type="button"
      className="copy"
      disabled={isTooLong}
      title={isTooLong ? t.copiedMax(copiedMax) : undefined}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{said ?? t.copyRows}</span>
    </button>
  )
}

/** The most records that `ids` takes. */
const idsMax = 100

/** Downloads the selected records: by their identities, or as the whole list. */
const DownloadRows = ({ count, ...props }: ListSumsProps & { readonly count: number }) => {
  const { api, group, columns, selection, sent } = props
  const t = texts().explorer
  if (!selection.isAll && count > idsMax) {
    return <p className="quiet small">{t.downloadedMax(idsMax)}</p>
  }
  const ids = [...selection.rows.keys()].join(',')
  return (
    <Download
      {...{ api, group }}
      title={t.downloadSelected}
      parameters={selection.isAll ? sent : { ...sent, ids }}
      fields={fieldNames(columns)}
      total={count}
    />
  )
}
