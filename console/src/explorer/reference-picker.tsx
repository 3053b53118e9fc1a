import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Api, Row } from '../api.ts'
import { useCombobox } from '../combobox.ts'
import type { Group } from '../contract.ts'
import { includesForNames, nameOf } from '../names.ts'
import { groupSingular, groupTitle, valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'

interface PickerProps {
  readonly api: Api
  readonly group: Group
  readonly onPick: (id: string) => void
}

const shownMax = 20
/** Records to look through if the group is not searchable. */
const readMax = 100

/** Finds a record by number, name or identifier. */
export const ReferencePicker = ({ api, group, onPick }: PickerProps) => {
  const [text, setText] = useState('')
  const t = texts().explorer
  const wanted = text.trim()
  const { data, isPending, error } = useQuery({
    queryKey: ['choices', api.brand, group.path, group.isSearchable ? wanted : ''],
    queryFn: ({ signal }) => readChoices(api, group, wanted, signal),
    placeholderData: keepPreviousData,
  })
  const isMatch = ({ name, id }: Choice) =>
    group.isSearchable || `${name} ${id}`.toLowerCase().includes(wanted.toLowerCase())
  const shown = (data?.choices ?? []).filter(isMatch).slice(0, shownMax)
  const { field, list, option } = useCombobox({
    label: groupTitle(group),
    count: shown.length,
    onText: setText,
    onPick: (index) => {
      const pick = isIdentifier(wanted) ? wanted : shown[index]?.id
      if (pick !== undefined) onPick(pick)
    },
  })
  const isPart = data !== undefined && !group.isSearchable && data.choices.length < data.total

  return (
    <div className="picker">
      <input
        {...field}
        aria-label={t.searchRecord(groupSingular(group))}
        placeholder={t.searchRecord(groupSingular(group))}
        spellCheck={false}
        value={text}
      />
      <div {...list}>
        {shown.map((each, index) => (
          <div key={each.id} {...option(index)}>
            <span>{each.name}</span> <span className="quiet">{each.aside}</span>
          </div>
        ))}
      </div>
      <p className="quiet small" role="status">
        {isPending && t.searching}
        {error?.message}
        {data && shown.length === 0 && !isIdentifier(wanted) && t.noRecord}
        {isPart && t.firstOnly(data.choices.length, data.total)}
      </p>
    </div>
  )
}

const isIdentifier = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

interface Choice {
  readonly id: string
  readonly name: string
  /** Distinguishes records with the same name: their code or their status. */
  readonly aside: string
}

/** The search results. Without a text or a search, the first records of the list. */
const readChoices = async (api: Api, group: Group, text: string, signal: AbortSignal) => {
  const choiceOf = (row: Row): Choice => ({
    id: String(row[group.idField ?? 'id']),
    name: nameOf(group, row),
    aside: asideOf(group, row),
  })
  if (group.isSearchable && text !== '') {
    const { items } = await api.search(text, { groups: [group.path], limit: shownMax, signal })
    return { choices: items.map(({ record }) => choiceOf(record as Row)), total: items.length }
  }
  const sort = group.sortable.find((name) => name === group.titleField)
  const { items, total } = await api.query(group.path, sort === undefined ? {} : { sort }, {
    limit: group.isSearchable ? shownMax : readMax,
    include: includesForNames(group),
    signal,
  })
  return { choices: items.map(choiceOf), total }
}

const asideOf = (group: Group, row: Row): string => {
  const name = ['code', 'name', 'status', 'kind'].find(
    (each) => each !== group.titleField && typeof row[each] === 'string',
  )
  return name === undefined ? '' : valueLabel(String(row[name]))
}
