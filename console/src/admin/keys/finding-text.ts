import type { KeyFinding } from '../../../../src/contract/index.ts'
import { dayText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'

/** More names than this are counted, not listed. */
const namesMax = 4

/** A finding of the review in words. */
export const findingText = (finding: KeyFinding, useDays: number): string => {
  const words = adminTexts().keys.findings
  switch (finding.finding) {
    case 'unused':
      return finding.lastUsedAt
        ? words.unused(useDays, dayText(finding.lastUsedAt))
        : words.neverUsed(useDays)
    case 'never_expires':
      return words.neverExpires
    case 'expires_soon':
      return words.expiresSoon(dayText(finding.expiresAt))
    case 'global':
      return words.global
    case 'no_usage_recorded':
      return words.noUsage(useDays)
    case 'wider_than_used': {
      const { unusedBrands, unusedGroups } = finding
      const parts = [
        ...(unusedBrands.length > 0 ? [words.brands(shortList(unusedBrands))] : []),
        ...(unusedGroups.length > 0 ? [words.groups(unusedGroups.length)] : []),
      ]
      return words.wider(useDays, parts.join(', '))
    }
  }
}

const shortList = (names: readonly string[]): string => {
  const more = names.length - namesMax
  const listed = names.slice(0, namesMax).join(', ')
  return more > 0 ? adminTexts().keys.findings.andMore(listed, more) : listed
}
