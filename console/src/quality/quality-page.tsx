import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Finding, Quality } from '../../../client/src/index.ts'
import type { Api } from '../api.ts'
import { groupAt } from '../contract.ts'
import { countText, momentText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { Failure, Loading } from '../states.tsx'
import { groupTitle } from '../texts/contract.ts'
import { language, texts } from '../texts/index.ts'
import {
  loadRuleSentences,
  type RuleSentences,
  ruleDetail,
  ruleRemedy,
  ruleSentence,
} from '../texts/rules.ts'
import { useTitle } from '../title.ts'
import { qualityQuery } from './quality-data.ts'
import { Trend } from './trend.tsx'
import './quality.css'

/** While rules are left to check, the page is read again after this time. */
const refreshMs = 10_000

/** The records that violate business rules, and how to fix them. */
export const QualityPage = ({ api }: { api: Api }) => {
  const t = texts().quality
  useTitle(t.title, api.brand)
  const { data, error, refetch } = useQuery({
    ...qualityQuery(api),
    // Rules are checked in the background.
    refetchInterval: ({ state }) => (state.data?.isCurrent === false ? refreshMs : false),
  })
  const { data: sentences } = useQuery({
    queryKey: ['rule sentences', language()],
    // Rules without a translation stay in English.
    queryFn: () => loadRuleSentences().catch((): RuleSentences => ({})),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data || !sentences) return <Loading />
  return (
    <div className="quality">
      <header>
        <h1>{t.title}</h1>
        {data.checkedAt !== null && (
          <p className="quality-state">
            {t.passed(data.rules.passed, data.rules.total)}
            {' · '}
            {data.rules.unchecked > 0 && `${t.unchecked(data.rules.unchecked)} · `}
            <time dateTime={data.checkedAt}>{t.checkedAt(momentText(data.checkedAt))}</time>
          </p>
        )}
        {data.rules.outdated > 0 && <p className="quality-changed">{t.changedSince}</p>}
      </header>
      {data.rules.unchecked > 0 && <NotChecked brand={api.brand} quality={data} />}
      {data.findings.length === 0
        ? data.rules.unchecked === 0 && (
            <p className="quality-empty">{t.allPass(data.rules.total)}</p>
          )
        : (['error', 'warning'] as const).map((severity) => (
            <Findings
              key={severity}
              brand={api.brand}
              quality={data}
              severity={severity}
              sentences={sentences}
            />
          ))}
    </div>
  )
}

/** While rules are not checked, whether records break them is unknown. */
const NotChecked = ({ brand, quality }: { brand: string; quality: Quality }) => {
  const t = texts().quality
  const { unchecked, rules, checkedAt } = quality
  return (
    <div className="quality-empty">
      <p>{checkedAt === null ? t.notChecked : t.partlyChecked(rules.unchecked)}</p>
      <p>{t.howToCheck}</p>
      <pre>
        <code>{t.command(brand)}</code>
      </pre>
      {checkedAt !== null && (
        <details>
          <summary>{t.uncheckedRules}</summary>
          <p className="quality-ids">
            {unchecked.map((rule) => (
              <code key={rule}>{rule}</code>
            ))}
          </p>
        </details>
      )}
    </div>
  )
}

interface FindingsProps {
  readonly brand: string
  readonly quality: Quality
  readonly severity: Finding['severity']
  readonly sentences: RuleSentences
}

const Findings = ({ brand, quality, severity, sentences }: FindingsProps) => {
  const t = texts().quality
  const findings = quality.findings.filter((each) => each.severity === severity)
  if (findings.length === 0) return null
  const isError = severity === 'error'
  const total = findings.reduce((sum, { count }) => sum + count, 0)
  const name = isError ? 'errors' : 'warnings'
  return (
    <section className={`quality-${name}`} aria-labelledby={`quality-${name}`}>
      <div className="quality-section">
        <h2 id={`quality-${name}`}>{isError ? t.errors : t.warnings}</h2>
        <p>{isError ? t.errorsMeaning : t.warningsMeaning}</p>
        <Trend counts={quality.history.map((check) => check[name])} />
        <p className="quality-count">{t.records(total)}</p>
      </div>
      {findings.map((finding) => (
        <FoundRule
          key={finding.rule}
          brand={brand}
          finding={finding}
          quality={quality}
          sentences={sentences}
        />
      ))}
    </section>
  )
}

/** Records shown without a click. */
const shownRecords = 3

interface FoundRuleProps {
  readonly brand: string
  readonly finding: Finding
  readonly quality: Quality
  readonly sentences: RuleSentences
}

const FoundRule = ({ brand, finding, quality, sentences }: FoundRuleProps) => {
  const t = texts().quality
  const { rule, count, records } = finding
  const sentence = ruleSentence(sentences, finding)
  const remedy = ruleRemedy(sentences, finding)
  const more = records.slice(shownRecords)
  const notListed = count - records.length
  return (
    <article className="finding" aria-labelledby={`finding-${rule}`}>
      <div className="finding-head">
        <h3 id={`finding-${rule}`} lang={sentence.lang}>
          {sentence.text}
        </h3>
        <code>{rule}</code>
        <Trend counts={quality.history.map(({ counts }) => counts[rule] ?? 0)} />
        <span className="quality-count">{countText(count)}</span>
      </div>
      <p className="finding-remedy">
        <b>{t.whatToDo}</b> <span lang={remedy.lang}>{remedy.text}</span>
      </p>
      <Records
        brand={brand}
        rule={rule}
        records={records.slice(0, shownRecords)}
        sentences={sentences}
      />
      {(more.length > 0 || notListed > 0) && (
        <details>
          <summary>{t.moreRecords(more.length + notListed)}</summary>
          <Records brand={brand} rule={rule} records={more} sentences={sentences} />
          {notListed > 0 && <p className="finding-rest">{t.notListed(notListed)}</p>}
        </details>
      )}
    </article>
  )
}

interface RecordsProps {
  readonly brand: string
  readonly rule: string
  readonly records: Finding['records']
  readonly sentences: RuleSentences
}

const Records = ({ brand, rule, records, sentences }: RecordsProps) => (
  <ul className="finding-records">
    {records.map(({ group, id, title, detail }) => {
      const of = groupAt(group)
      const name = title ?? id
      const text = ruleDetail(sentences, rule, detail)
      return (
        <li key={`${group} ${id} ${detail}`}>
          <span className="finding-record">
            {/* A record with a composite identity has no page. */}
            {id.includes(':') ? name : <Link href={recordLink(brand, group, id)}>{name}</Link>}
          </span>
          <span className="finding-group">{of ? groupTitle(of) : group}</span>
          <span className="finding-detail" lang={text.lang}>
            {text.text}
          </span>
        </li>
      )
    })}
  </ul>
)
