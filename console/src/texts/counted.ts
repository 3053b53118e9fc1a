import { countText } from '../locale.ts'

/** `1 order`, `2 orders`: for languages with a singular and a plural. */
export const counted = (count: number, one: string, many: string): string =>
  `${countText(count)} ${count === 1 ? one : many}`
