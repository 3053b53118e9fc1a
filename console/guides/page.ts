import { posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'

export interface Heading {
  readonly id: string
  readonly text: string
  readonly depth: number
}

/** The text from one heading to the next, without markup. */
export interface Section {
  readonly id: string
  readonly heading: string
  readonly text: string
}

/** A page of the documentation. */
export interface GuidePage {
  /** Below `/guides`: `how-to/query`; empty for the first page. */
  readonly path: string
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** What links of a page may lead to. */
export interface LinkTargets {
  /** Files of the documentation, relative to its folder: `how-to/query.md`. */
  readonly files: ReadonlySet<string>
  /** The addresses of images, by their files. */
  readonly images: ReadonlyMap<string, string>
}

/** `how-to/query.md` is at `how-to/query`; a README is at its folder. */
export const pathOf = (file: string): string => file.replace(/\.md$/, '').replace(/\/?README$/, '')

export const addressOf = (path: string): string => (path === '' ? '/guides' : `/guides/${path}`)

export const renderPage = (file: string, source: string, targets: LinkTargets): GuidePage => {
  const anchors = new Map<string, number>()
  const headings: Heading[] = []
  const sections: { id: string; heading: string; text: string }[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const text = plainText(tokens)
        const id = anchorOf(text, anchors)
        headings.push({ id, text, depth })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code({ text, lang = '' }) {
        const [language = '', kind] = lang.split(' ')
        const label = kind === 'output' ? 'Output' : language
        return `<pre data-label="${escaped(label)}" tabindex="0"><code>${escaped(text)}</code></pre>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = targetOf(file, href, targets)
        return target === null ? text : `<a href="${escaped(target)}">${text}</a>`
      },
      image({ href, text }) {
        const target = targets.images.get(resolved(file, href))
        if (target === undefined) throw new Error(`${file}: there is no image ${href}.`)
        return `<img src="${escaped(target)}" alt="${escaped(text)}" loading="lazy" />`
      },
      table(token) {
        return `<div class="table" tabindex="0"><table>${tableRows(token, (tokens) => this.parser.parseInline(tokens))}</table></div>\n`
      },
      html: ({ text }) => (/^<!--.*-->\s*$/s.test(text) ? '' : escaped(text)),
    },
  })
  const tokens = marked.lexer(source)
  const html = marked.parser(tokens)
  for (const token of tokens) {
    const heading = token.type === 'heading' ? headings[sections.length] : undefined
    if (heading) sections.push({ id: heading.id, heading: heading.text, text: '' })
    else if (token.type !== 'html') {
      const section = sections.at(-1)
      if (section) section.text = `${section.text} ${plainText([token])}`.trim()
    }
  }
  const title = headings[0]?.text
  if (title === undefined) throw new Error(`${file} has no title.`)
  return { path: pathOf(file), title, html, headings, sections }
}

type Inline = (tokens: Token[]) => string

const tableRows = ({ header, rows }: Tokens.Table, inline: Inline): string => {
  const cells = (row: readonly Tokens.TableCell[], tag: string, scope = '') =>
    row
      .map(({ tokens, align }) => {
        const aligned = align === 'right' ? ' class="right"' : ''
        return `<${tag}${scope}${aligned}>${inline(tokens)}</${tag}>`
      })
      .join('')
  const head = `<thead><tr>${cells(header, 'th', ' scope="col"')}</tr></thead>`
  return `${head}<tbody>${rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')}</tbody>`
}

const resolved = (file: string, href: string): string =>
  posix.join(posix.dirname(file), href.split('#')[0] ?? '')

/** Null for a file of the repository that is not served: then only the text is shown. */
const targetOf = (file: string, href: string, { files }: LinkTargets): string | null => {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href
  const target = resolved(file, href)
  if (target.startsWith('../') || !target.endsWith('.md')) return null
  if (!files.has(target)) throw new Error(`${file}: there is no page ${href}.`)
  const [, anchor] = href.split('#')
  return addressOf(pathOf(target)) + (anchor === undefined ? '' : `#${anchor}`)
}

/** As GitHub names the anchors of headings: links of the documentation use these. */
const anchorOf = (text: string, used: Map<string, number>): string => {
  const base = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  const count = used.get(base) ?? 0
  used.set(base, count + 1)
  return count === 0 ? base : `${base}-${count}`
}

/** The words of tokens, with one space between them. */
const plainText = (tokens: readonly Token[]): string =>
  tokens.map(wordsOf).join(' ').replaceAll(/\s+/g, ' ').trim()

const wordsOf = (token: Token): string => {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].flatMap((row) => row.map(({ tokens }) => inlineText(tokens))).join(' ')
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(wordsOf).join(' ')
  const inner = 'tokens' in token ? token.tokens : undefined
  if (token.type === 'paragraph' || token.type === 'heading') return inlineText(inner ?? [])
  if (inner) return inner.map(wordsOf).join(token.type === 'list_item' ? ' ' : '')
  return 'text' in token ? String(token.text) : ''
}

/** Inside a line nothing is put between words: `a`, `.` stays `a.`. */
const inlineText = (tokens: readonly Token[]): string => tokens.map(wordsOf).join('')

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
