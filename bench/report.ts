import { formatCount } from '../tools/options.ts'
import type { Memory } from './process-usage.ts'
import type { Spread } from './statistics.ts'
import { tableOf } from './table.ts'
import { coresForScaling, type Found } from './targets.ts'

/** All figures of a run, with and without targets. */
export interface Report extends Found {
  readonly memory: Memory | null
  readonly start: Spread
}

/** Formats the figures of a run as text. */
export const reportOf = (report: Report): string => {
  const whole = (value: number) => formatCount(Math.round(value))
  const heads = [
    ...[
      '',
      'bytes',
      'per second',
      'reference',
      'ratio',
      'spread',
      'ratio of CPU',
      'CPU µs',
      'bare',
      'times bare',
    ],
    ...['p50 ms', 'p99 ms'],
  ]
  const rows = report.cases.map((each) => [
    each.name,
    whole(each.answerBytes),
    whole(each.perSecond.median),
    whole(each.referencePerSecond.median),
    each.ratio.median.toFixed(2),
    rangeOf(each.ratio),
    each.cpuRatio?.median.toFixed(2) ?? '–',
    each.cpuUs ? whole(each.cpuUs.median) : '–',
    each.bareCpuUs ? whole(each.bareCpuUs.median) : '–',
    each.bareRatio?.median.toFixed(2) ?? '–',
    each.p50Ms.toFixed(1),
    each.p99Ms.toFixed(1),
  ])
  return `${tableOf(heads, rows)}\n\n${sentencesOf(report).join('\n')}`
}

const sentencesOf = (report: Report): readonly string[] => {
  const { memory, scaling, start, workers, cores, cases } = report
  const sentences = [`Start to first answer: ${start.median.toFixed(2)} s (${rangeOf(start)}).`]
  if (memory) {
    sentences.push(`Private memory of a worker: ${memory.nowMb} MB, at most ${memory.peakMb} MB.`)
  }
  if (scaling) {
    sentences.push(`${workers} workers to one: ${scaling.median.toFixed(2)} (${rangeOf(scaling)}).`)
    if (cores < coresForScaling) {
      sentences.push(
        `With ${cores} cores the generator leaves the workers too few, so this is not judged.`,
      )
    }
  }
  if (workers > 1) {
    sentences.push('Ratios to the reference, which is one process, are judged for one worker only.')
  }
  for (const { name, askedAgain } of cases) {
    if (askedAgain === 0) continue
    sentences.push(
      `${name}: ${formatCount(askedAgain)} requests were for something asked for before; more rows have more to ask for.`,
    )
  }
  return sentences
}

const rangeOf = ({ least, most }: Spread) => `${least.toFixed(2)}–${most.toFixed(2)}`
