import { type FormEvent, useId, useState } from 'react'
import type { Group } from '../contract.ts'
import { Copy } from '../copy.tsx'
import { Menu } from '../menu.tsx'
import { texts } from '../texts/index.ts'
import { type ListState, selectionOf } from './list-state.ts'
import { nameMax, type SavedView, savedViewLink } from './saved-view.ts'
import type { useSavedViews } from './saved-views.ts'

interface SaveViewProps {
  readonly brand: string
  readonly group: Group
  readonly state: ListState
  readonly store: ReturnType<typeof useSavedViews>
  /** Shows the list under the name of a view, or without a name. */
  readonly onName: (name: string | null) => void
}

/** Saves the current list as a view; updates, shares and deletes a saved view. */
export const SaveView = ({ brand, group, state, store, onName }: SaveViewProps) => {
  const t = texts().explorer
  const query = new URLSearchParams(selectionOf(state)).toString()
  const current = store.views.find(
    ({ group: path, name }) => path === group.path && name === state.saved,
  )
  const save = (name: string, isPinned: boolean): boolean => {
    const isSaved = store.save({ name, group: group.path, query, isPinned })
    if (isSaved) onName(name)
    return isSaved
  }
  const isChanged = current !== undefined && !isSameQuery(current.query, query)

  if (state.saved !== null && !current) {
    return (
      <p className="shared-view" role="status">
        {t.sharedView(state.saved)}{' '}
        <button type="button" onClick={() => save(state.saved ?? '', false)}>
          {t.keepView}
        </button>
      </p>
    )
  }
  return (
    <div className="save-view">
      {current && isChanged && (
        <button type="button" onClick={() => store.change(current.id, { query })}>
          {t.updateView(current.name)}
        </button>
      )}
      {(!current || isChanged) && query !== '' && (
        <Menu title={current ? t.saveAsNew : t.saveView}>
          {(close) => (
            <NameForm
              onSave={(name, isPinned) => {
                const isSaved = save(name, isPinned)
                if (isSaved) close()
                return isSaved
              }}
            />
          )}
        </Menu>
      )}
      {current && (
        <Menu title="⋯" label={t.viewMenu(current.name)} className="view-menu">
          {(close) => <ViewMenu {...{ brand, current, store, close }} onName={onName} />}
        </Menu>
      )}
    </div>
  )
}

interface ViewMenuProps {
  readonly brand: string
  readonly current: SavedView
  readonly store: ReturnType<typeof useSavedViews>
  readonly close: () => void
  readonly onName: (name: string | null) => void
}

const ViewMenu = ({ brand, current, store, close, onName }: ViewMenuProps) => {
  const t = texts().explorer
  return (
    <>
      <NameForm
        isRename
        name={current.name}
        isPinned={current.isPinned}
        onSave={(name, isPinned) => {
          const isSaved = store.change(current.id, { name, isPinned })
          if (isSaved) {
            close()
            if (name !== current.name) onName(name)
          }
          return isSaved
        }}
      />
      <div className="row">
        <Copy label={t.copyLink} text={location.origin + savedViewLink(brand, current)} />
        <button
          type="button"
          onClick={() => {
            store.remove(current.id)
            close()
            onName(null)
          }}
        >
          {t.deleteView}
        </button>
      </div>
    </>
  )
}

interface NameFormProps {
  readonly name?: string
  readonly isPinned?: boolean
  readonly isRename?: boolean
  /** Returns whether the view was saved. */
  readonly onSave: (name: string, isPinned: boolean) => boolean
}

const NameForm = ({ name = '', isPinned = true, isRename = false, onSave }: NameFormProps) => {
  const t = texts().explorer
  const [text, setText] = useState(name)
  const [pinned, setPinned] = useState(isPinned)
  const [failed, setFailed] = useState(false)
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') setFailed(!onSave(text.trim(), pinned))
  }
  return (
    <form className="name-form" onSubmit={submit}>
      <label htmlFor={id}>{t.viewName}</label>
      <input
        id={id}
        autoFocus
        maxLength={nameMax}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <label className="checked">
        <input
          type="checkbox"
          checked={pinned}
          onChange={(event) => setPinned(event.target.checked)}
        />{' '}
        {t.pinned}
      </label>
      <button type="submit" className="primary">
        {isRename ? t.rename : t.save}
      </button>
      {failed && (
        <p className="problem small" role="alert">
          {t.notSaved}
        </p>
      )}
    </form>
  )
}

/** Compares queries regardless of the order of their parameters. */
const isSameQuery = (one: string, other: string): boolean => {
  const sorted = (text: string) => [...new URLSearchParams(text)].map(String).sort().join('&')
  return sorted(one) === sorted(other)
}
