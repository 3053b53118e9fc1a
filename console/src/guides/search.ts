/** The built index of all guides. Sections refer to their page by index. */
export interface GuideIndex {
  readonly pages: readonly { readonly path: string; readonly title: string }[]
  readonly sections: readonly (readonly [page: number, id: string, heading: string, text: string])[]
}

export interface GuideMatch {
  readonly address: string
  readonly title: string
  readonly heading: string
  /** The text around the first match. */
  readonly excerpt: string
}

const matchesMax = 12
const excerptLength = 140

/** The sections that contain all words. Matches in headings come first. */
export const findSections = (index: GuideIndex, text: string): readonly GuideMatch[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const scored = index.sections.flatMap((section, place) => {
    const [page, , heading, body] = section
    const title = index.pages[page]?.title ?? ''
    const score = scoreOf(words, title.toLowerCase(), heading.toLowerCase(), body.toLowerCase())
    return score === 0 ? [] : [{ section, score, place }]
  })
  return scored
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, matchesMax)
    .map(({ section: [page, id, heading, body] }) => {
      const { path = '', title = '' } = index.pages[page] ?? {}
      const address = path === '' ? '/guides' : `/guides/${path}`
      const isTop = heading === title
      return {
        address: isTop ? address : `${address}#${id}`,
        title,
        heading: isTop ? '' : heading,
        excerpt: excerptOf(body, words),
      }
    })
}

/** 0 if a word is missing. Words in a heading score higher than words in the text. */
const scoreOf = (
  words: readonly string[],
  title: string,
  heading: string,
  body: string,
): number => {
  let score = 0
  for (const word of words) {
    if (heading.includes(word)) score += heading === title ? 12 : 8
    else if (title.includes(word)) score += 3
    else if (body.includes(word)) score += 1
    else return 0
  }
  return score
}

const excerptOf = (body: string, words: readonly string[]): string => {
  const places = words.map((word) => body.toLowerCase().indexOf(word)).filter((at) => at >= 0)
  const at = Math.max(0, Math.min(...places, body.length) - 40)
  const start = places.length === 0 ? 0 : at
  const cut = body.slice(start, start + excerptLength)
  return `${start > 0 ? '… ' : ''}${cut}${start + excerptLength < body.length ? ' …' : ''}`
}
