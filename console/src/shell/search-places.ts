import { catalog, type PublishedView } from '../../../src/contract/index.ts'
import { type Group, groups } from '../contract.ts'
import { savedViewLink } from '../explorer/saved-view.ts'
import { keepLanguage } from '../language.ts'
import {
  brandLink,
  calendarLink,
  listLink,
  qualityLink,
  sourcesLink,
  trendsLink,
} from '../links.ts'
import { type Entry, entryOf } from '../search/entries.ts'
import type { Places } from '../search/search-dialog.tsx'
import { domainTitle, groupTitle, viewTitle } from '../texts/contract.ts'
import { language, languages, texts } from '../texts/index.ts'
import { chooseTheme, themes } from '../theme.ts'
import { workGroups, workTitle } from './places.ts'

interface PlaceActions {
  readonly onHelp: () => void
  readonly onLeave: () => void
}

/** The search entries that need no request. */
export const placesOf = (
  brand: string,
  [published, saved]: readonly [readonly PublishedView[], readonly PublishedView[]],
  actions: PlaceActions,
): Places => {
  const entryOfGroup = (group: Group, title: string) =>
    entryOf({
      key: `group ${group.path}`,
      title,
      aside: domainTitle(group.domain),
      link: listLink(brand, group.path),
    })
  const today = entryOf({ key: 'today', title: texts().shell.today, link: brandLink(brand) })
  const trends = entryOf({ key: 'trends', title: texts().today.trends, link: trendsLink(brand) })
  const calendar = entryOf({
    key: 'calendar',
    title: texts().calendar.title,
    link: calendarLink(brand),
  })
  const quality = entryOf({
    key: 'quality',
    title: texts().quality.title,
    link: qualityLink(brand),
  })
  const sources = entryOf({
    key: 'sources',
    title: texts().sources.title,
    link: sourcesLink(brand),
  })
  const groupsOfWork = workGroups.map((group) => entryOfGroup(group, workTitle(group)))
  const work = [today, calendar, trends, ...groupsOfWork, quality, sources]
  const others = groups.filter((group) => !workGroups.includes(group))
  return {
    groups: [...work, ...others.map((group) => entryOfGroup(group, groupTitle(group)))],
    views: [
      ...published.map((view) => namedEntry(brand, view, texts().search.brandView)),
      ...saved.map((view) => namedEntry(brand, view, texts().search.savedView)),
      ...viewEntries(brand),
    ],
    actions: actionEntries(actions),
    first: work,
  }
}

const namedEntry = (brand: string, view: PublishedView, aside: string): Entry =>
  entryOf({
    key: `${aside} ${view.group} ${view.name}`,
    title: view.name,
    aside,
    link: savedViewLink(brand, view),
  })

const viewEntries = (brand: string): readonly Entry[] =>
  catalog.resources.flatMap((resource) =>
    resource.views.map((view) =>
      entryOf({
        key: `view ${resource.path} ${view.name}`,
        title: viewTitle(view),
        aside: texts().search.view,
        link: listLink(brand, resource.path, { view: view.name }),
      }),
    ),
  )

const actionEntries = ({ onHelp, onLeave }: PlaceActions): readonly Entry[] => {
  const { search: words, shell, settings } = texts()
  return [
    entryOf({
      key: 'copy',
      title: words.copyLink,
      run: () => void navigator.clipboard.writeText(location.href),
    }),
    ...themes.map((theme) =>
      entryOf({
        key: `theme ${theme}`,
        title: words.useTheme(settings.themes[theme]),
        run: () => chooseTheme(theme),
      }),
    ),
    ...languages
      .filter((each) => each !== language())
      .map((each) =>
        entryOf({
          key: `language ${each}`,
          title: words.useLanguage[each],
          run: () => {
            keepLanguage(each)
            location.reload()
          },
        }),
      ),
    entryOf({ key: 'help', title: shell.keyboard, run: onHelp }),
    entryOf({ key: 'guides', title: settings.guides, link: '/guides' }),
    entryOf({ key: 'reference', title: settings.reference, link: '/docs' }),
    entryOf({ key: 'leave', title: shell.signOut, run: onLeave }),
  ]
}
