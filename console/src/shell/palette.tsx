import { type KeyboardEvent, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { type Group, groups } from '../contract.ts'
import { brandLink, listLink } from '../links.ts'
import { Dialog } from './dialog.tsx'
import { domainTitles } from './groups.tsx'

interface Entry {
  readonly title: string
  readonly aside: string
  readonly path: string
  readonly link: string
}

const shownMax = 12

/** Finds a group by parts of its name: `ord it` finds Order Items. */
export const Palette = ({ brand, onClose }: { brand: string; onClose: () => void }) => {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [, navigate] = useLocation()
  const id = useId()
  const found = findGroups(text).map((group): Entry => entryOf(group, brand))
  const entries = text.trim() === '' ? [overview(brand), ...found] : found
  const shown = entries.slice(0, shownMax)
  const chosen = Math.min(at, shown.length - 1)

  const go = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    navigate(entry.link)
  }
  const hear = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setAt((chosen + step + shown.length) % Math.max(1, shown.length))
    else if (event.key === 'Enter') go(shown[chosen])
    else return
    event.preventDefault()
  }

  return (
    <Dialog label="Find a group" className="palette" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Find a group"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={shown[chosen] ? `${id}-${chosen}` : undefined}
        placeholder="Find a group: orders, shipment items, payments …"
        spellCheck={false}
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={hear}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Groups" className="palette-list">
        {shown.map((entry, index) => (
          <div
            key={entry.path}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => go(entry)}
            onMouseMove={() => setAt(index)}
          >
            <span>{entry.title}</span> <span className="quiet">{entry.aside}</span>
          </div>
        ))}
      </div>
      <p className="palette-foot quiet" role="status">
        {shown.length === 0
          ? `No group is called “${text}”.`
          : `${entries.length} found · ↑ ↓ to choose, Enter to open`}
      </p>
    </Dialog>
  )
}

const overview = (brand: string): Entry => ({
  title: 'Overview',
  aside: 'Totals and charts',
  path: '',
  link: brandLink(brand),
})

const entryOf = (group: Group, brand: string): Entry => ({
  title: group.title,
  aside: domainTitles[group.domain],
  path: group.path,
  link: listLink(brand, group.path),
})

/** Groups whose name has all the words typed; those that begin with the text come first. */
const findGroups = (text: string): readonly Group[] => {
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/[\s-]+/)
  const place = ({ title }: Group) => (title.toLowerCase().startsWith(wanted) ? 0 : 1)
  return groups
    .filter(({ title, path }) => {
      const name = `${title} ${path}`.toLowerCase()
      return words.every((word) => name.includes(word))
    })
    .sort((a, b) => place(a) - place(b))
}
