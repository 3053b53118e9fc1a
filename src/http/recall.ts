import type { ServerResponse } from 'node:http'
import { chooseEncoding } from './compress.ts'
import { matchesAny, matchesEtag } from './etag.ts'
import type { RememberedAnswer } from './remembered.ts'
import type { Visit } from './visit.ts'
import { type ReadyAnswer, writeNotModified, writeReady } from './write.ts'

/** What to send of a remembered answer. */
export type Form = ReadyAnswer | 'not modified'

/** The form a client asks for; null where it is not there and the ordinary road has to make it. */
export const chooseForm = ({ head }: Visit, answer: RememberedAnswer): Form | null => {
  const { ifNoneMatch, acceptEncoding } = head
  if (ifNoneMatch !== undefined) {
    if (matchesEtag(ifNoneMatch, answer.tag)) return 'not modified'
    // Any record at all will do: whether there is one is for the handler to say.
    if (matchesAny(ifNoneMatch)) return null
  }
  const encoding = chooseEncoding(acceptEncoding, answer.size)
  return answer.ready.get(encoding) ?? null
}

/** Gives a remembered answer once more, in the form that was chosen. */
export const writeForm = (
  response: ServerResponse,
  visit: Visit,
  { tag }: RememberedAnswer,
  form: Form,
  now?: number,
): void => {
  if (form === 'not modified') writeNotModified(response, visit, tag, now)
  else writeReady(response, visit, form, now)
}
