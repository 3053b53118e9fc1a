import type { Api } from '../api.ts'
import type { Group } from '../contract.ts'
import type { Column } from './column.ts'
import { sharedFields } from './list-columns.ts'
import type { ListNavigation } from './list-navigation.ts'
import { usePublishedViews } from './published-views.ts'
import { SaveView } from './save-view.tsx'
import { viewShown } from './saved-view.ts'
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

/** The views of a group, of the brand and of this browser, and the form that saves one. */
export const ListViews = ({ api, group, navigation, columns, today, day }: ListViewsProps) => {
  const { state, linkTo, go, change } = navigation
  const store = useSavedViews(api.brand)
  const published = usePublishedViews(api)
  /** Includes the columns, so that others see the same list. */
  const shared = { ...state, fields: sharedFields(group, state, columns) }
  const all = [...store.views, ...(published ?? [])]
  const shown = viewShown(all, group.path, shared)
  return (
    <div className="views">
      <ViewTabs
        {...{ group, state, linkTo, day, today, shown }}
        saved={store.views}
        published={published ?? []}
        onChange={change}
      />
      <SaveView
        {...{ group, store, shown }}
        isKnown={published !== undefined}
        brand={api.brand}
        state={shared}
        onName={(saved) => go({ ...shared, saved })}
      />
    </div>
  )
}
