import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Api, Brand } from '../api.ts'
import { usePublishedViews } from '../explorer/published-views.ts'
import { useSavedViews } from '../explorer/saved-views.ts'
import { brandLink } from '../links.ts'
import markUrl from '../mark.svg'
import { Menu } from '../menu.tsx'
import { SearchDialog } from '../search/search-dialog.tsx'
import { texts } from '../texts/index.ts'
import { BrandChoice } from './brand-choice.tsx'
import { FreshnessMenu, FreshnessText, useFreshness } from './freshness-view.tsx'
import { Help } from './help.tsx'
import { DotsIcon, LinesIcon, SearchIcon } from './icons.tsx'
import { useIsNarrow } from './narrow.ts'
import { Navigation } from './navigation.tsx'
import { placesOf } from './search-places.ts'
import { Manuals, Settings } from './settings.tsx'
import { useShortcuts } from './shortcuts.ts'
import './shell.css'

interface ShellProps {
  readonly api: Api
  readonly brands: readonly Brand[]
  readonly onLeave: () => void
  readonly children: ReactNode
}

type Opened = 'search' | 'help' | null

/** The frame of every page: brand, search, freshness and navigation. */
export const Shell = ({ api, brands, onLeave, children }: ShellProps) => {
  const [opened, setOpened] = useState<Opened>(null)
  const [path, navigate] = useLocation()
  const isNarrow = useIsNarrow()
  const freshness = useFreshness(api)
  const { views: savedViews } = useSavedViews(api.brand)
  const publishedViews = usePublishedViews(api) ?? []
  const menu = useRef<HTMLElement>(null)
  const words = texts().shell
  const onSearch = useCallback(() => setOpened('search'), [])
  const onHelp = useCallback(() => setOpened('help'), [])
  useShortcuts({ onSearch, onHelp })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes after navigation
  useEffect(() => {
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover()
  }, [path])

  return (
    <div className="shell">
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <header className="bar">
        {isNarrow && (
          <button
            type="button"
            className="bar-icon"
            popoverTarget="navigation"
            aria-label={freshness?.isStale ? words.menuStale : words.menu}
            data-stale={freshness?.isStale}
          >
            <LinesIcon />
          </button>
        )}
        <Link className="bar-mark" href={brandLink(api.brand)} aria-label={words.today}>
          <img src={markUrl} alt="" width="22" height="22" />
        </Link>
        <BrandChoice
          brand={api.brand}
          brands={brands}
          onChoose={(slug) => navigate(brandLink(slug))}
        />
        <button
          type="button"
          className="bar-search"
          aria-label={isNarrow ? words.search : undefined}
          onClick={onSearch}
        >
          <SearchIcon /> <span>{words.searchField}</span> <kbd>/</kbd>
        </button>
        {!isNarrow && (
          <div className="bar-end">
            {freshness && <FreshnessMenu freshness={freshness} />}
            <nav className="bar-manuals" aria-label={words.manuals}>
              <Manuals />
            </nav>
            <Menu className="bar-settings" label={words.settings} title={<DotsIcon />}>
              <Settings onHelp={onHelp} onLeave={onLeave} />
            </Menu>
          </div>
        )}
      </header>
      <div className="shell-body">
        <nav
          ref={menu}
          id="navigation"
          className="navigation"
          aria-label={words.navigation}
          {...(isNarrow && { popover: 'auto' })}
        >
          <Navigation api={api} />
          {isNarrow && (
            <div className="navigation-end">
              {freshness && (
                <p className={freshness.isStale ? 'freshness-why' : 'quiet'}>
                  <FreshnessText freshness={freshness} />
                </p>
              )}
              <Manuals />
              <Settings onHelp={onHelp} onLeave={onLeave} />
            </div>
          )}
        </nav>
        <main id="content" className="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      {opened === 'search' && (
        <SearchDialog
          api={api}
          places={placesOf(api.brand, [publishedViews, savedViews], { onHelp, onLeave })}
          onClose={() => setOpened((now) => (now === 'search' ? null : now))}
        />
      )}
      {opened === 'help' && <Help onClose={() => setOpened(null)} />}
    </div>
  )
}
