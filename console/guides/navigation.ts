import { addressOf, pathOf } from './page.ts'

export interface GuideGroup {
  readonly title: string
  readonly pages: readonly { readonly title: string; readonly path: string }[]
}

/** The groups of pages that the first page lists: a title in bold, and links below it. */
export const parseNavigation = (readme: string): readonly GuideGroup[] => {
  const groups: { title: string; pages: { title: string; path: string }[] }[] = []
  for (const line of readme.split('\n')) {
    const [, title] = /^\*\*(.+?)\*\*:/.exec(line) ?? []
    if (title !== undefined) groups.push({ title, pages: [] })
    const [, name, file] = /^- \[(.+?)\]\((.+?\.md)\)$/.exec(line) ?? []
    if (name !== undefined && file !== undefined) {
      groups.at(-1)?.pages.push({ title: name, path: pathOf(file) })
    }
  }
  return groups
}

/** The list of all pages, in which the current one or the one above it is marked. */
export const navigationOf = (groups: readonly GuideGroup[], current: string): string =>
  groups
    .map(({ title, pages }) => {
      const links = pages.map(({ title: name, path }) => {
        const isCurrent = path === current || current.startsWith(`${path}/`)
        return `<li><a href="${addressOf(path)}"${isCurrent ? ' aria-current="page"' : ''}>${name}</a></li>`
      })
      return `<h2>${title}</h2><ul>${links.join('')}</ul>`
    })
    .join('')
