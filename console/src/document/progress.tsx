import { countText, dayText, moneyText } from '../figures.ts'
import { texts } from '../texts/index.ts'
import type { DocumentStage, PageDocument } from './document.ts'
import { stageDays } from './lateness.ts'

/** The stages ordered, made, shipped, received, invoiced and paid, from left to right. */
export const Progress = ({ document }: { document: PageDocument }) => {
  const { progress } = document
  if (progress.length === 0) return null
  const whole = progress.find(({ pieces }) => pieces !== null)?.pieces ?? 0
  return (
    <section className="track" aria-label={texts().document.progress}>
      <ol>
        {progress.map((stage) => (
          <Stage key={stage.name} stage={stage} whole={whole} />
        ))}
      </ol>
    </section>
  )
}

const Stage = ({ stage, whole }: { stage: DocumentStage; whole: number }) => {
  const { name, state, pieces, amounts, planned, actual } = stage
  const { stages, states, planned: plannedText } = texts().document
  const days = stageDays(stage)
  return (
    <li className={`stage stage-${state}`}>
      <span className="stage-name">
        {stages[name] ?? name} <span className="visually-hidden">{states[state]}</span>
      </span>
      <span className="stage-mark" aria-hidden="true" />
      {pieces !== null && (
        <span className="stage-pieces">
          {countText(pieces)}
          {whole > 0 && pieces !== whole && (
            <span className={pieces < whole && state === 'done' ? 'stage-gap' : 'quiet'}>
              {' '}
              {texts().document.ofPieces(whole)}
            </span>
          )}
        </span>
      )}
      {amounts.map(({ currency, amount }) => (
        <span className="stage-amount" key={currency}>
          {moneyText(amount, currency)}
        </span>
      ))}
      {actual !== null && <span className="stage-date">{dayText(actual)}</span>}
      {planned !== null && (
        <span className="stage-date quiet">{plannedText(dayText(planned))}</span>
      )}
      {days && <span className={`stage-days ${days.tone}`}>{days.text}</span>}
    </li>
  )
}
