import type { KeyVerifier } from '#keys'
import type { Answering } from './answering.ts'
import { grantFor } from './authenticate.ts'
import { type Named, splitTarget } from './paths.ts'
import type { QuickRoad, QuickRoadParts } from './quick-road.ts'

export interface DirectRoadParts extends Pick<QuickRoadParts, 'endVisit'> {
  readonly find: (path: string) => Named | null
  readonly keyRing: KeyVerifier
  readonly answering: Answering
}

/**
 * Answers operations without the framework: a plain path, and a key that is good. All
 * else takes the ordinary road, which decodes paths and explains every refusal of a key.
 */
export const openDirectRoad = (parts: DirectRoadParts): QuickRoad => {
  const { find, keyRing, answering, endVisit } = parts
  return (request, response, visit) => {
    // What follows the head of a message with a body may still show that it cannot be read.
    if (request.method !== 'GET' || visit.head.hasBody || keyRing.isStale) return false
    const [path] = splitTarget(request.url ?? '')
    const named = path.includes('%') ? null : find(path)
    const grant = named && grantFor(keyRing, visit.head.authorization)
    if (!named || !grant) return false
    return answering
      .answer({ request, response, visit, ...named }, grant)
      .finally(() => endVisit(request, response, visit))
  }
}
