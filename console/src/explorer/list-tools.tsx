import type { ReactNode } from 'react'
import type { Api, Filters, Row } from '../api.ts'
import type { Group } from '../contract.ts'
import { type Column, fieldNames } from './column.ts'
import { Download } from './download.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { ListNavigation } from './list-navigation.ts'
import { useReferenceNames } from './reference-names.ts'

interface ListToolsProps {
  readonly api: Api
  readonly group: Group
  readonly navigation: ListNavigation
  readonly columns: readonly Column[]
  /** The parameters of the request. */
  readonly sent: Filters
  /** The records of the page; undefined while they load. */
  readonly rows: readonly Row[] | undefined
  readonly total: number | null
  readonly today: string
  /** Controls of the presentation. */
  readonly children: ReactNode
}

/** The filters of a list, and its download. */
export const ListTools = (props: ListToolsProps) => {
  const { api, group, navigation, columns, sent, rows, total, today, children } = props
  const nameOfRecord = useReferenceNames(api, group, sent, rows)
  return (
    <div className="tools">
      <FilterBar
        {...{ api, group, nameOfRecord, today }}
        parameters={navigation.state.parameters}
        onChange={navigation.change}
      />
      <div className="tools-end">
        {children}
        <Download
          {...{ api, group }}
          parameters={sent}
          fields={fieldNames(columns)}
          total={total}
        />
      </div>
    </div>
  )
}
