import { momentText } from '../figures.ts'

/** A time; a dash if there is none. */
export const Moment = ({ at }: { at: string | null }) =>
  at === null ? '–' : <time dateTime={at}>{momentText(at)}</time>
