import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Api, Brand } from '../api.ts'
import { brandLink } from '../links.ts'
import markUrl from '../mark.svg'
import { Groups } from './groups.tsx'
import { Help } from './help.tsx'
import { Palette } from './palette.tsx'
import { ThemeChoice } from './theme-choice.tsx'
import './shell.css'

interface ShellProps {
  readonly api: Api
  readonly brands: readonly Brand[]
  readonly onLeave: () => void
  readonly children: ReactNode
}

type Opened = 'palette' | 'help' | null

/** The frame of every page: brand, groups and navigation. */
export const Shell = ({ api, brands, onLeave, children }: ShellProps) => {
  const [opened, setOpened] = useState<Opened>(null)
  const [narrowOpen, setNarrowOpen] = useState(false)
  const [path, navigate] = useLocation()
  useShortcuts(setOpened)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list closes after navigation
  useEffect(() => setNarrowOpen(false), [path])

  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="bar">
        <button
          type="button"
          className="bar-groups"
          aria-expanded={narrowOpen}
          aria-controls="groups"
          onClick={() => setNarrowOpen(!narrowOpen)}
        >
          Groups
        </button>
        <Link className="bar-mark" href={brandLink(api.brand)} aria-label="Overview">
          <img src={markUrl} alt="" width="22" height="22" />
        </Link>
        <BrandChoice api={api} brands={brands} onChoose={(slug) => navigate(brandLink(slug))} />
        <button type="button" className="bar-find" onClick={() => setOpened('palette')}>
          <span>Find a group</span> <kbd>/</kbd>
        </button>
        <nav className="bar-end" aria-label="Console">
          <a href="/docs">API reference</a>
          <ThemeChoice />
          <button type="button" className="plain" onClick={() => setOpened('help')}>
            Help <kbd>?</kbd>
          </button>
          <button type="button" className="plain" onClick={onLeave}>
            Sign out
          </button>
        </nav>
      </header>
      <div className="shell-body">
        <nav id="groups" className="groups" data-open={narrowOpen} aria-label="Groups">
          <Groups api={api} />
        </nav>
        <main id="content" className="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      {opened === 'palette' && <Palette brand={api.brand} onClose={() => setOpened(null)} />}
      {opened === 'help' && <Help onClose={() => setOpened(null)} />}
    </div>
  )
}

interface BrandChoiceProps {
  readonly api: Api
  readonly brands: readonly Brand[]
  readonly onChoose: (slug: string) => void
}

const BrandChoice = ({ api, brands, onChoose }: BrandChoiceProps) => {
  const current = brands.find(({ slug }) => slug === api.brand)
  if (brands.length <= 1 && current) return <span className="bar-brand">{current.name}</span>
  return (
    <select
      className="bar-brand"
      aria-label="Brand"
      value={api.brand}
      onChange={(event) => onChoose(event.target.value)}
    >
      {!current && <option value={api.brand}>{api.brand}</option>}
      {brands.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </select>
  )
}

const useShortcuts = (open: (what: Opened) => void) => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open]')) return
      const finds = event.key === 'k' && (event.ctrlKey || event.metaKey)
      if (!finds && (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey)) {
        return
      }
      if (finds || event.key === '/') open('palette')
      else if (event.key === '?') open('help')
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [open])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
