import { type FormEvent, useId, useState } from 'react'
import {
  type PublishedView,
  publishedViewLimits,
  viewName,
  viewNameProblem,
} from '../../../src/contract/index.ts'
import type { Group } from '../contract.ts'
import { Copy } from '../copy.tsx'
import { listLink } from '../links.ts'
import { Menu } from '../menu.tsx'
import { texts } from '../texts/index.ts'
import { type ListState, selectionOf } from './list-state.ts'
import { isSelection, type SavedView } from './saved-view.ts'
import type { useSavedViews } from './saved-views.ts'

interface SaveViewProps {
  readonly brand: string
  readonly group: Group
  readonly state: ListState
  readonly store: ReturnType<typeof useSavedViews>
  /** The view whose name the list has. */
  readonly shown: PublishedView | undefined
  /** Whether it is known which views are published. */
  readonly isKnown: boolean
  /** Shows the list under the name of a view, or without a name. */
  readonly onName: (name: string | null) => void
}

/** Saves the current list as a view, and copies its link; updates and deletes a saved view. */
export const SaveView = (props: SaveViewProps) => {
  const { brand, group, state, store, shown, isKnown, onName } = props
  const t = texts().explorer
  const [failed, setFailed] = useState(false)
  const selection = selectionOf(state)
  const query = new URLSearchParams(selection).toString()
  const current = store.views.find((each) => each === shown)
  const save = (name: string, isPinned: boolean): boolean => {
    const isSaved = store.save({ name, group: group.path, query, isPinned })
    if (isSaved) onName(name)
    return isSaved
  }
  const isChanged = shown !== undefined && !isSelection(shown.query, state)

  const { saved } = state
  if (saved !== null && !shown) {
    return isKnown ? (
      <p className="shared-view" role="status">
        {t.sharedView(saved)}{' '}
        <button type="button" onClick={() => setFailed(!save(saved, false))}>
          {t.keepView}
        </button>
        {failed && <span className="problem small">{t.notSaved}</span>}
      </p>
    ) : null
  }
  return (
    <div className="save-view">
      {current && isChanged && (
        <button type="button" onClick={() => store.change(current.id, { query })}>
          {t.updateView(current.name)}
        </button>
      )}
      {(!shown || isChanged) && query !== '' && (
        <Menu title={shown ? t.saveAsNew : t.saveView}>
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
      {(shown || query !== '') && (
        <Copy
          label={t.copyLink}
          text={() =>
            location.origin +
            listLink(brand, group.path, { ...selection, ...(saved !== null && { saved }) })
          }
        />
      )}
      {current && (
        <Menu title="⋯" label={t.viewMenu(current.name)} className="view-menu">
          {(close) => <ViewMenu {...{ current, store, close }} onName={onName} />}
        </Menu>
      )}
    </div>
  )
}

interface ViewMenuProps {
  readonly current: SavedView
  readonly store: ReturnType<typeof useSavedViews>
  readonly close: () => void
  readonly onName: (name: string | null) => void
}

const ViewMenu = ({ current, store, close, onName }: ViewMenuProps) => {
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
    const typed = viewName(text)
    if (typed !== '') setFailed(viewNameProblem(typed) !== undefined || !onSave(typed, pinned))
  }
  return (
    <form className="name-form" onSubmit={submit}>
      <label htmlFor={id}>{t.viewName}</label>
      <input
        id={id}
        autoFocus
        maxLength={publishedViewLimits.name}
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
