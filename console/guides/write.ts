import { hash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, parse } from 'node:path'
import type { GuideIndex } from '../src/guides/search.ts'
import { type GuideGroup, navigationOf, parseNavigation } from './navigation.ts'
import { type GuidePage, renderPage } from './page.ts'

/** The pages of the documentation as static pages: `docs` into `guides` and `assets` of a build. */
export const writeGuides = (docs: string, dist: string): void => {
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(dist, path)), { recursive: true })
    writeFileSync(join(dist, path), content)
  }
  const writeAsset = (name: string, content: string | Buffer): string => {
    const { name: stem, ext } = parse(name)
    const path = `assets/${stem}-${hash('sha256', content, 'base64url').slice(0, 8)}${ext}`
    write(path, content)
    return `/${path}`
  }
  const files = globSync('**/*.md', { cwd: docs }).sort()
  const images = new Map(
    globSync('images/*', { cwd: docs })
      .filter((file) => imageTypes.has(extname(file)))
      .map((file) => [file, writeAsset(file, readFileSync(join(docs, file)))] as const),
  )
  const targets = { files: new Set(files), images }
  const pages = files.map((file) =>
    renderPage(file, readFileSync(join(docs, file), 'utf8'), targets),
  )
  const index = writeAsset('guides.json', JSON.stringify(indexOf(pages)))
  const groups = parseNavigation(readFileSync(join(docs, 'README.md'), 'utf8'))
  const template = readFileSync(join(dist, 'guides.html'), 'utf8')
  rmSync(join(dist, 'guides.html'))
  for (const page of pages) {
    write(`guides/${page.path || 'index'}.html`, filled(template, { page, groups, index }))
  }
}

const imageTypes = new Set(['.png', '.svg'])

const indexOf = (pages: readonly GuidePage[]): GuideIndex => ({
  pages: pages.map(({ path, title }) => ({ path, title })),
  sections: pages.flatMap(({ sections }, page) =>
    sections.map(({ id, heading, text }) => [page, id, heading, text] as const),
  ),
})

interface Filling {
  readonly page: GuidePage
  readonly groups: readonly GuideGroup[]
  readonly index: string
}

const filled = (template: string, { page, groups, index }: Filling): string => {
  const parts: { readonly [name: string]: string } = {
    title: page.path === '' ? 'Guides · Selvedge' : `${page.title} · Guides · Selvedge`,
    index,
    navigation: navigationOf(groups, page.path),
    content: page.html,
    headings: headingsOf(page),
  }
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => parts[name] ?? whole)
}

const headingsOf = ({ headings }: GuidePage): string => {
  const shown = headings.filter(({ depth }) => depth === 2)
  if (shown.length < 2) return ''
  const links = shown.map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`)
  return `<h2>On this page</h2><ul>${links.join('')}</ul>`
}
