import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import type { OperatorSession } from '../../../src/contract/index.ts'
import { LanguageChoice } from '../language-choice.tsx'
import markUrl from '../mark.svg'
import { Menu } from '../menu.tsx'
import { DotsIcon, LinesIcon } from '../shell/icons.tsx'
import { useIsNarrow } from '../shell/narrow.ts'
import { ThemeChoice } from '../shell/theme-choice.tsx'
import { adminTexts } from '../texts/admin.ts'
import { texts } from '../texts/index.ts'
import { pages, sections } from './pages.ts'
import '../shell/shell.css'

interface AdminShellProps {
  readonly session: OperatorSession
  /** What was done last; empty for nothing. */
  readonly said: string
  readonly onSaid: (sentence: string) => void
  readonly onSignOut: () => void
  readonly children: ReactNode
}

/** The frame of every operator page. */
export const AdminShell = ({ session, said, onSaid, onSignOut, children }: AdminShellProps) => {
  const [path] = useLocation()
  const isNarrow = useIsNarrow()
  const menu = useRef<HTMLElement>(null)
  const words = adminTexts().shell
  const { shell } = texts()
  useEffect(() => {
    if (path && menu.current?.matches(':popover-open')) menu.current.hidePopover()
  }, [path])
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {shell.skip}
      </a>
      <header className="bar">
        {isNarrow && (
          <button
            type="button"
            className="bar-icon"
            popoverTarget="navigation"
            aria-label={shell.menu}
          >
            <LinesIcon />
          </button>
        )}
        <Link className="bar-mark" href="/" aria-label={words.title}>
          <img src={markUrl} alt="" width="22" height="22" />
        </Link>
        <span className="bar-brand">Selvedge</span>
        <span className="chip">{words.title}</span>
        {!isNarrow && (
          <div className="bar-end">
            <span className="quiet">{words.signedInAs(session.operator)}</span>
            <nav className="bar-manuals" aria-label={shell.manuals}>
              <a href={session.apiUrl}>{words.console}</a>
            </nav>
            <Menu className="bar-settings" label={words.settings} title={<DotsIcon />}>
              <AdminSettings onSignOut={onSignOut} />
            </Menu>
          </div>
        )}
      </header>
      <div className="shell-body">
        <nav
          ref={menu}
          id="navigation"
          className="navigation admin-navigation"
          aria-label={shell.navigation}
          {...(isNarrow && { popover: 'auto' })}
        >
          <Navigation path={path} />
          <p className="quiet small admin-release">
            {words.release(session.release, words.engines[session.engine])}
          </p>
          {isNarrow && (
            <div className="navigation-end">
              <p className="quiet">{words.signedInAs(session.operator)}</p>
              <a href={session.apiUrl}>{words.console}</a>
              <AdminSettings onSignOut={onSignOut} />
            </div>
          )}
        </nav>
        <main id="content" className="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Said sentence={said} onEnd={() => onSaid('')} />
    </div>
  )
}

const Navigation = ({ path }: { path: string }) => (
  <>
    {sections.map((section) => {
      const shown = pages.filter((page) => page.section === section)
      return shown.length === 0 ? null : (
        <section key={section} className="nav-section">
          <h2>{adminTexts().shell.sections[section]}</h2>
          <ul className="nav-work">
            {shown.map(({ paths: [first], title }) => (
              <li key={first}>
                <Link href={first} aria-current={isWithin(path, first) ? 'page' : undefined}>
                  <span className="nav-title">{title()}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )
    })}
  </>
)

const isWithin = (path: string, page: string): boolean =>
  path === page || path.startsWith(`${page}/`)

/** The settings of this browser, and signing out. */
const AdminSettings = ({ onSignOut }: { onSignOut: () => void }) => (
  <div className="settings">
    <ThemeChoice />
    <div className="choice">
      <span>{texts().settings.language}</span>
      <LanguageChoice />
    </div>
    <hr />
    <button type="button" className="plain settings-item" onClick={onSignOut}>
      {adminTexts().shell.signOut}
    </button>
  </div>
)

/** How long a sentence about what was done is shown. */
const saidMs = 8_000

const Said = ({ sentence, onEnd }: { sentence: string; onEnd: () => void }) => {
  const end = useRef(onEnd)
  end.current = onEnd
  useEffect(() => {
    if (sentence === '') return
    const timer = setTimeout(() => end.current(), saidMs)
    return () => clearTimeout(timer)
  }, [sentence])
  return (
    <div className="waiting admin-said" role="status" hidden={sentence === ''}>
      {sentence}
    </div>
  )
}
