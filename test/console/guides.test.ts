/** The guides: how pages of the documentation are rendered and found. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { navigationOf, parseNavigation } from '../../console/guides/navigation.ts'
import { renderPage } from '../../console/guides/page.ts'
import { findSections, type GuideIndex } from '../../console/src/guides/search.ts'

const targets = {
  files: new Set(['README.md', 'how-to/query.md', 'reference/resources/README.md']),
  images: new Map([['images/list.png', '/assets/list-1.png']]),
}
const render = (source: string, file = 'how-to/page.md') =>
  renderPage(file, `# Page\n\n${source}`, targets)

describe('a page of the guides', () => {
  for (const [what, source, html] of [
    ['a link to another page', '[q](query.md)', '<a href="/guides/how-to/query">q</a>'],
    ['a link to a heading', '[q](query.md#sort)', '<a href="/guides/how-to/query#sort">q</a>'],
    [
      'a link to the README of a folder',
      '[r](../reference/resources/README.md)',
      '<a href="/guides/reference/resources">r</a>',
    ],
    ['a link to the first page', '[all](../README.md)', '<a href="/guides">all</a>'],
    ['a link out of the documentation', 'see [it](../../SECURITY.md) now', 'see it now'],
    ['a link to a site', '[x](https://example.com/)', '<a href="https://example.com/">x</a>'],
    ['an image', '![A list](../images/list.png)', 'src="/assets/list-1.png" alt="A list"'],
    ['markup in code', '`<b>`', '<code>&lt;b&gt;</code>'],
    ['markup in a block of code', '```sh\n<b> & "c"\n```', '&lt;b&gt; &amp; &quot;c&quot;'],
    ['markup in text', '<script>alert(1)</script>', '&lt;script&gt;'],
    ['a comment', '<!-- Generated. -->', '</h1>\n'],
    ['output', '```json output\n{}\n```', 'data-label="Output"'],
    ['a heading', '## How many, “in all”?', '<h2 id="how-many-in-all">'],
    ['a second heading of that name', '## A b\n\n## A b', '<h2 id="a-b-1">'],
    ['a table', '| a | b |\n| --- | --: |\n| 1 | 2 |', '<td class="right">2</td>'],
  ] as const) {
    it(`shows ${what}`, () => {
      assert.ok(render(source).html.includes(html), render(source).html)
    })
  }

  it('that names a page or an image that is not there is not built', () => {
    assert.throws(() => render('[x](nothing.md)'), /how-to\/page.md: there is no page nothing.md/)
    assert.throws(() => render('![x](../images/no.png)'), /there is no image/)
    assert.throws(() => renderPage('a.md', 'no title', targets), /a.md has no title/)
  })

  it('has sections of plain text, for the search', () => {
    const { sections, title, path } = render('First `code`, *then* more.\n\n## Next\n\n- a\n- b')
    assert.deepEqual([title, path], ['Page', 'how-to/page'])
    assert.deepEqual(sections, [
      { id: 'page', heading: 'Page', text: 'First code, then more.' },
      { id: 'next', heading: 'Next', text: 'a b' },
    ])
  })
})

describe('the guides', () => {
  const folder = fileURLToPath(new URL('../../docs/', import.meta.url))
  const files = globSync('**/*.md', { cwd: folder })
  const images = new Map(globSync('images/*', { cwd: folder }).map((file) => [file, `/${file}`]))
  const pages = files.map((file) =>
    renderPage(file, readFileSync(join(folder, file), 'utf8'), { files: new Set(files), images }),
  )
  const groups = parseNavigation(readFileSync(join(folder, 'README.md'), 'utf8'))

  it('begin with where to start, by role', () => {
    const [first] = pages.filter(({ path }) => path === '')
    const start = first?.html.slice(0, first.html.indexOf('id="all-pages"')) ?? ''
    for (const role of ['an operations team', 'an integrator', 'an analyst', 'an operator']) {
      assert.ok(start.includes(role), role)
    }
    assert.ok(start.includes('href="/guides/how-to/use-the-console"'))
  })

  it('are all of the documentation, with no link to a heading that is not there', () => {
    assert.ok(pages.length > 40)
    const anchors = new Set(
      pages.flatMap(({ path, headings }) =>
        headings.map(({ id }) => `${path === '' ? '/guides' : `/guides/${path}`}#${id}`),
      ),
    )
    for (const { path, html } of pages) {
      for (const [, link = ''] of html.matchAll(/href="([^"]*#[^"]*)"/g)) {
        if (/^https?:/.test(link)) continue
        const whole = link.startsWith('#') ? `/guides/${path}${link}` : link
        assert.ok(anchors.has(whole), `${path} links to ${link}`)
      }
    }
  })

  it('are all in the navigation, or below a page that is', () => {
    const listed = groups.flatMap((group) => group.pages.map(({ path }) => path))
    assert.deepEqual(
      groups.map(({ title }) => title),
      ['Tutorial', 'How-to guides', 'Reference', 'Explanation'],
    )
    for (const { path } of pages.filter((page) => page.path !== '')) {
      assert.ok(
        listed.some((each) => path === each || path.startsWith(`${each}/`)),
        path,
      )
      assert.equal(navigationOf(groups, path).match(/aria-current/g)?.length, 1, path)
    }
  })
})

describe('the search of the guides', () => {
  const index: GuideIndex = {
    pages: [
      { path: 'how-to/query', title: 'Query lists' },
      { path: '', title: 'Documentation' },
    ],
    sections: [
      [0, 'query-lists', 'Query lists', 'Filters, ranges and order.'],
      [0, 'sort', 'Sort a list', `By any column. ${'More text. '.repeat(30)}Cursors continue.`],
      [1, 'documentation', 'Documentation', 'Learn to sort and query.'],
    ],
  }
  const addresses = (text: string) => findSections(index, text).map(({ address }) => address)

  it('finds sections that have all the words, headings first', () => {
    assert.deepEqual(addresses('sort'), ['/guides/how-to/query#sort', '/guides'])
    assert.deepEqual(addresses('QUERY ranges'), ['/guides/how-to/query'])
    assert.deepEqual(addresses('sort nothing'), [])
    assert.deepEqual(addresses('  '), [])
  })

  it('shows the text around the first word', () => {
    const [match] = findSections(index, 'cursors')
    assert.match(match?.excerpt ?? '', /^… .*Cursors continue\.$/)
    assert.ok((match?.excerpt.length ?? 0) < 160)
  })

  it('shows few matches', () => {
    const many = Array.from({ length: 50 }, () => [0, 'a', 'Sort', ''] as const)
    assert.equal(findSections({ ...index, sections: many }, 'sort').length, 12)
  })
})
