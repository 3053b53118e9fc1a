/** The first line of every page that is generated. */
export const signature =
  '<!-- Made from the code by tools/generate.ts. Do not edit: run npm run generate. -->'

/** A generated page: the signature, then its blocks with a blank line between them. */
export const page = (...blocks: readonly string[]): string =>
  `${[signature, ...blocks].join('\n\n')}\n`

export const code = (text: string): string => `\`${text}\``

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

/** The anchor that a heading can be linked by. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
