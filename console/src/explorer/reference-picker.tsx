import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Api, Row } from '../api.ts'
import { useCombobox } from '../combobox.ts'
import type { Group } from '../contract.ts'
import { countText } from '../figures.ts'
import { includesForNames, nameOf } from '../names.ts'

interface PickerProps {
  readonly api: Api
  readonly group: Group
  readonly onPick: (id: string) => void
  readonly onCancel: () => void
}

const pagesMax = 3
const shownMax = 30

/** Finds a record of a group by a part of its title among the first few hundred records. */
export const ReferencePicker = ({ api, group, onPick, onCancel }: PickerProps) => {
  const [text, setText] = useState('')
  const { data, isPending, error } = useQuery({
    queryKey: ['choices', api.brand, group.path],
    queryFn: ({ signal }) => readChoices(api, group, signal),
  })
  const exact = useExactTitle(api, group, text, data)
  const wanted = text.trim().toLowerCase()
  const matches = [...exact, ...(data?.rows ?? [])]
    .map((row) => ({ id: String(row[group.idField ?? 'id']), title: nameOf(group, row), row }))
    .filter((each) => each.title.toLowerCase().includes(wanted) || each.id.startsWith(wanted))
  const unique = [...new Map(matches.map((each) => [each.id, each])).values()]
  const shown = unique.slice(0, shownMax)
  const { field, list, option } = useCombobox({
    label: group.title,
    count: shown.length,
    onText: setText,
    onPick: (index) => {
      const pick = shown[index]?.id ?? (isIdentifier(text.trim()) ? text.trim() : null)
      if (pick !== null) onPick(pick)
    },
    onCancel,
  })

  return (
    <div className="picker">
      <input
        {...field}
        aria-label={`${group.singular}, by title`}
        placeholder={`${group.singular}: title or identifier`}
        value={text}
      />
      <div className="picker-body">
        <div {...list}>
          {shown.map((each, index) => (
            <div key={each.id} {...option(index)}>
              {each.title} <span className="quiet">{asideOf(group, each.row)}</span>
            </div>
          ))}
        </div>
        <p className="quiet small" role="status">
          {isPending && 'Loading …'}
          {error?.message}
          {data && shown.length === 0 && 'No matching records.'}
          {data &&
            data.rows.length < data.total &&
            ` Searching the first ${data.rows.length} of ${countText(data.total)}; an exact title finds any.`}
        </p>
      </div>
    </div>
  )
}

const isIdentifier = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** What distinguishes records with the same title: their code or their status. */
const asideOf = (group: Group, row: Row): string => {
  const name = ['code', 'status', 'kind'].find(
    (each) => each !== group.titleField && typeof row[each] === 'string',
  )
  return name === undefined ? '' : String(row[name])
}

interface Choices {
  readonly rows: readonly Row[]
  readonly total: number
}

const readChoices = async (api: Api, group: Group, signal: AbortSignal): Promise<Choices> => {
  const rows: Row[] = []
  let total = 0
  let cursor: string | null = null
  for (let page = 0; page < pagesMax && (page === 0 || cursor !== null); page += 1) {
    const answer = await api.list(group.path, {
      limit: 100,
      include: includesForNames(group),
      signal,
      ...(cursor && { cursor }),
    })
    rows.push(...answer.items)
    total = answer.total
    cursor = answer.next
  }
  return { rows, total }
}

/** Among the other records, the server finds one by its exact title. */
const useExactTitle = (api: Api, group: Group, text: string, choices: Choices | undefined) => {
  const filter = group.filters.find(({ field }) => field !== null && field === group.titleField)
  const isPart = choices !== undefined && choices.rows.length < choices.total
  const { data } = useQuery({
    queryKey: ['exact', api.brand, group.path, text],
    queryFn: ({ signal }) =>
      api.list(group.path, {
        filters: { [filter?.name ?? '']: text },
        include: includesForNames(group),
        limit: 5,
        signal,
      }),
    enabled: isPart && filter !== undefined && text.length > 1 && text.length <= 255,
  })
  return data?.items ?? []
}
