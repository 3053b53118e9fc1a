import type { Api } from '../api.ts'
import type { Group } from '../contract.ts'
import type { Column } from './column.ts'
import { sharedFields } from './list-columns.ts'
import type { ListNavigation } from './list-navigation.ts'
import { SaveView } from './save-view.tsx'
import { useSavedViews } from './saved-views.ts'
import { ViewTabs } from './view-tabs.tsx'

interface ListViewsProps {
  readonly api: Api
  readonly group: Group
  readonly navigation: ListNavigation
  readonly columns: readonly Column[]
  readonly today: string
  /** The day that is treated as today. */
  readonly day: string
}

/** The views of a group, the views saved in this browser, and the form that saves one. */
export const ListViews = ({ api, group, navigation, columns, today, day }: ListViewsProps) => {
  const { state, linkTo, go, change } = navigation
  const store = useSavedViews(api.brand)
  /** Includes the columns, so that others see the same list. */
  const shared = { ...state, fields: sharedFields(group, state, columns) }
  return (
    <div className="views">
      <ViewTabs {...{ group, state, linkTo, day, today }} saved={store.views} onChange={change} />
      <SaveView
        {...{ group, store }}
        brand={api.brand}
        state={shared}
        onName={(saved) => go({ ...shared, saved })}
      />
    </div>
  )
}
