import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { SearchResult } from '../../../client/src/index.ts'
import type { Api } from '../api.ts'
import { groupAt } from '../contract.ts'
import { listLink, recordLink } from '../links.ts'
import { nameOf } from '../names.ts'
import { readRecent } from '../recent-records.ts'
import { Dialog } from '../shell/dialog.tsx'
import { fieldLabel, groupTitle, valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { toneOf } from '../values.ts'
import { type Entry, entryOf, fitting, type Section, shownOf } from './entries.ts'
import { footText } from './foot-text.ts'
import { highlight } from './highlight.ts'
import { type Search, usePartnerNames, useSearch } from './use-search.ts'
import './search.css'

interface SearchDialogProps {
  readonly api: Api
  /** Entries that need no request: groups, views and actions. */
  readonly places: Places
  readonly onClose: () => void
}

export interface Places {
  readonly groups: readonly Entry[]
  readonly views: readonly Entry[]
  readonly actions: readonly Entry[]
  /** Entries shown before the user types. */
  readonly first: readonly Entry[]
}

/** One field for records, groups, views and actions, usable with the keyboard alone. */
export const SearchDialog = ({ api, places, onClose }: SearchDialogProps) => {
  const [text, setText] = useState('')
  const search = useSearch(api, text)
  const sections = useSections(api, text, search, places)
  const { entries } = sections
  const [chosen, setChosen] = useState<string | null>(null)
  const index = Math.max(
    0,
    entries.findIndex(({ key }) => key === chosen),
  )
  const [, navigate] = useLocation()
  const dialog = useRef<HTMLDivElement>(null)
  const id = useId()

  const open = (entry: Entry, isNewTab: boolean) => {
    if (isNewTab && entry.link !== null) {
      window.open(entry.link, '_blank', 'noopener')
      return
    }
    // Closing the dialog restores the focus; removing the element does not.
    dialog.current?.closest('dialog')?.close()
    if (entry.run) entry.run()
    else if (entry.link?.startsWith('/brands/')) navigate(entry.link)
    else if (entry.link !== null) location.assign(entry.link)
  }
  const pending = usePendingOpen(search.isCurrent, entries[0], open)

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      const next = entries[(index + step + entries.length) % Math.max(1, entries.length)]
      setChosen(next?.key ?? null)
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      const isNewTab = event.ctrlKey || event.metaKey
      const entry = entries[index]
      // After fast typing, Enter opens a result of the new text, not of the previous one.
      if (chosen === null && !search.isCurrent) pending(isNewTab)
      else if (entry) open(entry, isNewTab)
    } else return
    event.preventDefault()
  }
  const selected = entries[index]
  useEffect(() => {
    if (selected)
      document.getElementById(`${id}-${selected.key}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, selected])

  return (
    <Dialog label={texts().search.title} className="search" onClose={onClose}>
      <div ref={dialog} className="search-body">
        <button
          type="button"
          className="search-close plain"
          onClick={() => dialog.current?.closest('dialog')?.close()}
        >
          {texts().search.close}
        </button>
        <input
          autoFocus
          className="search-field"
          role="combobox"
          aria-expanded={true}
          aria-controls={`${id}-list`}
          aria-activedescendant={selected && `${id}-${selected.key}`}
          aria-label={texts().search.title}
          placeholder={texts().search.placeholder}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setChosen(null)
          }}
          onKeyDown={onKeyDown}
        />
        <div
          id={`${id}-list`}
          className="search-list"
          role="listbox"
          aria-label={texts().search.results}
          aria-busy={!search.isCurrent}
        >
          {sections.sections.map((section) => (
            <div
              key={section.key}
              role="group"
              aria-label={section.title}
              className="search-section"
            >
              <div className="search-kind" aria-hidden="true">
                {section.title}
              </div>
              {section.entries.map((entry) => (
                <Option
                  key={entry.key}
                  id={`${id}-${entry.key}`}
                  entry={entry}
                  text={text}
                  isSelected={entry === selected}
                  onPoint={() => setChosen(entry.key)}
                  onOpen={open}
                />
              ))}
            </div>
          ))}
        </div>
        <Foot text={text} search={search} count={entries.length} />
      </div>
    </Dialog>
  )
}

/** Remembers an Enter pressed before the results arrived, and then opens the first result. */
const usePendingOpen = (
  isCurrent: boolean,
  first: Entry | undefined,
  open: (entry: Entry, isNewTab: boolean) => void,
) => {
  const [pending, setPending] = useState<{ isNewTab: boolean } | null>(null)
  useEffect(() => {
    if (!pending || !isCurrent) return
    setPending(null)
    if (first) open(first, pending.isNewTab)
  })
  return (isNewTab: boolean) => setPending({ isNewTab })
}

/** Matching groups and views come first: they need no request, so they do not move. */
const useSections = (api: Api, text: string, search: Search, places: Places) => {
  const [recent] = useState(() => readRecent(api.brand))
  const results = search.results?.items ?? []
  const partnerName = usePartnerNames(api, results)
  const { search: words } = texts()
  const wanted = text.trim()
  if (wanted === '') {
    return shownOf([
      {
        key: 'recent',
        title: words.recent,
        entries: recent.flatMap((each) => recentEntry(api.brand, each)),
      },
      { key: 'places', title: words.places, entries: places.first },
      { key: 'actions', title: words.actions, entries: places.actions },
    ])
  }
  const named = [...places.groups, ...places.views]
  return shownOf([
    { key: 'called', title: words.places, entries: fitting(named, wanted, 0, 4) },
    ...recordSections(api.brand, results, partnerName),
    { key: 'places', title: words.alsoPlaces, entries: fitting(named, wanted, 1, 6) },
    {
      key: 'actions',
      title: words.actions,
      entries: ([0, 1] as const).flatMap((fit) => fitting(places.actions, wanted, fit, 4)),
    },
  ])
}

const recentEntry = (brand: string, recent: ReturnType<typeof readRecent>[number]): Entry[] => {
  const group = groupAt(recent.group)
  if (!group) return []
  return [
    entryOf({
      key: `recent ${recent.group} ${recent.id}`,
      title: recent.title,
      aside: groupTitle(group),
      link: recordLink(brand, recent.group, recent.id),
    }),
  ]
}

/** The results by group, the group with the best match first. */
const recordSections = (
  brand: string,
  results: readonly SearchResult[],
  partnerName: (result: SearchResult) => string | null,
): readonly Section[] =>
  [...Map.groupBy(results, ({ group }) => group)].flatMap(([path, own]) => {
    const group = groupAt(path)
    if (!group) return []
    const entries = own.map((result): Entry => {
      const { id, key = {}, record, field, value } = result
      const label = group.fields.find(({ name }) => name === field)
      const status = record['status']
      return entryOf({
        key: `${path} ${id ?? Object.values(key).join(' ')}`,
        title: nameOf(group, { ...record }),
        aside: partnerName(result) ?? '',
        link:
          id !== undefined && group.hasRecord
            ? recordLink(brand, path, id)
            : listLink(brand, path, { ...key }),
        status: typeof status === 'string' ? status : null,
        matched: field === group.titleField || !label ? null : { label: fieldLabel(label), value },
      })
    })
    return [{ key: path, title: groupTitle(group), entries }]
  })

interface OptionProps {
  readonly id: string
  readonly entry: Entry
  readonly text: string
  readonly isSelected: boolean
  readonly onPoint: () => void
  readonly onOpen: (entry: Entry, isNewTab: boolean) => void
}

const Option = ({ id, entry, text, isSelected, onPoint, onOpen }: OptionProps) => {
  const { title, aside, link, status, matched } = entry
  const shared = {
    id,
    role: 'option',
    tabIndex: -1,
    className: 'search-option',
    'aria-selected': isSelected,
    onMouseMove: onPoint,
  } as const
  const content = (
    <>
      <span className="search-title">
        <Marked text={title} query={text} />
      </span>
      {matched && (
        <span className="search-found quiet">
          {matched.label} <Marked text={matched.value} query={text} />
        </span>
      )}
      {aside !== '' && <span className="search-aside quiet">{aside}</span>}
      {status !== null && (
        <span className={`chip chip-${toneOf(status)}`}>{valueLabel(status)}</span>
      )}
    </>
  )
  if (link === null) {
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: it is an option, and the field has the keys
      <div {...shared} onClick={() => onOpen(entry, false)}>
        {content}
      </div>
    )
  }
  // A real link, so that the browser can open it in another tab or copy it.
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    onOpen(entry, false)
  }
  return (
    <a {...shared} href={link} onClick={onClick}>
      {content}
    </a>
  )
}

const Marked = ({ text, query }: { text: string; query: string }) =>
  highlight(text, query).map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
    part.isMatch ? <mark key={place}>{part.text}</mark> : part.text,
  )

const Foot = ({ text, search, count }: { text: string; search: Search; count: number }) => {
  const words = texts().search
  return (
    <div className="search-foot quiet">
      <p role="status" className={search.error ? 'search-error' : undefined}>
        {footText(text, search, count)}
      </p>
      <p className="search-keys" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> {words.keySelect} <kbd>↵</kbd> {words.keyOpen}{' '}
        <kbd>{words.keyControl} ↵</kbd> {words.keyNewTab}
      </p>
    </div>
  )
}
