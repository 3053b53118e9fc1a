import { useBrand } from '../brand.ts'
import { groups } from '../contract.ts'
import { Copy } from '../copy.tsx'
import { texts } from '../texts/index.ts'

/** Whether a brand has no records. Shared records, such as countries, do not count. */
export const isEmpty = (totals: { readonly [group: string]: number }): boolean =>
  groups.every(({ path, isShared }) => isShared || !totals[path])

/** How to add the first records to a brand. The first two steps are done, since this page is open. */
export const FirstSteps = ({ brand }: { brand: string }) => {
  const words = texts().today
  const { name } = useBrand()
  const steps = [
    {
      title: words.stepBrand,
      command: `selvedge brands add ${brand} --name "${name}"`,
      isDone: true,
    },
    { title: words.stepKey, command: `selvedge keys issue --brand ${brand}`, isDone: true },
    {
      title: words.stepImport,
      command: `selvedge import ./records --brand ${brand}`,
      isDone: false,
    },
  ]
  const others = [
    {
      title: words.stepMap,
      command: `selvedge map init ./files --brand ${brand} --out mapping.json`,
      isDone: false,
    },
    { title: words.stepDemo, command: `selvedge demo --brand ${brand}`, isDone: false },
  ]
  return (
    <section className="today-steps" aria-labelledby="today-steps">
      <h2 id="today-steps">{words.emptyTitle}</h2>
      <p>{words.emptyIntro}</p>
      <ol>
        {steps.map((step) => (
          <StepLine key={step.command} {...step} />
        ))}
      </ol>
      <p className="quiet">
        {words.emptyHint} <a href="/guides/tutorial/from-an-erp">{words.emptyGuide}</a>
      </p>
      <h3>{words.emptyOthers}</h3>
      <ul>
        {others.map((step) => (
          <StepLine key={step.command} {...step} />
        ))}
      </ul>
      <p className="quiet">
        {words.emptyOperator} <a href="/guides/how-to/operator-page">{words.operatorGuide}</a>
      </p>
    </section>
  )
}

interface Step {
  readonly title: string
  readonly command: string
  readonly isDone: boolean
}

const StepLine = ({ title, command, isDone }: Step) => {
  const words = texts().today
  return (
    <li className={isDone ? 'today-step today-step-done' : 'today-step'}>
      <span className="today-step-title">
        {title}
        {isDone && <span className="today-step-state">{words.done}</span>}
      </span>
      <span className="today-step-command">
        <code>{command}</code>
        <Copy text={command} label={texts().states.copy} />
      </span>
    </li>
  )
}
