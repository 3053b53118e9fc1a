import { countText } from '../locale.ts'

/** `1 order`, `2 orders`: for languages that tell one from many. */
export const counted = (count: number, one: string, many: string): string =>
  `${countText(count)} ${count === 1 ? one : many}`
