import { useState } from 'react'
import { useLocation } from 'wouter'
import { useCombobox } from '../combobox.ts'
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
  const [, navigate] = useLocation()
  const matches = findGroups(text).map((group): Entry => entryOf(group, brand))
  const entries = text.trim() === '' ? [overview(brand), ...matches] : matches
  const shown = entries.slice(0, shownMax)
  const { field, list, option } = useCombobox({
    label: 'Groups',
    count: shown.length,
    onText: setText,
    onPick: (index) => {
      const entry = shown[index]
      if (!entry) return
      onClose()
      navigate(entry.link)
    },
  })

  return (
    <Dialog label="Find a group" className="palette" onClose={onClose}>
      <input
        {...field}
        aria-label="Find a group"
        placeholder="Find a group: orders, shipment items, payments …"
        spellCheck={false}
        value={text}
      />
      <div {...list} className="palette-list">
        {shown.map((entry, index) => (
          <div key={entry.path} {...option(index)}>
            <span>{entry.title}</span> <span className="quiet">{entry.aside}</span>
          </div>
        ))}
      </div>
      <p className="palette-foot quiet" role="status">
        {shown.length === 0
          ? `No group matches “${text}”.`
          : `${entries.length} found · ↑ ↓ to select, Enter to open`}
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

/** Groups whose name has all the words; those that start with the text come first. */
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
