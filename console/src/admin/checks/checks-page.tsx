import { useQuery } from '@tanstack/react-query'
import type { OperatorChecks } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { countText, momentText } from '../../figures.ts'
import { qualityLink, recordLink } from '../../links.ts'
import { Trend } from '../../quality/trend.tsx'
import { titleOf } from '../../sources/group-title.ts'
import { Empty, Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { language, texts } from '../../texts/index.ts'
import {
  loadRuleSentences,
  type RuleSentences,
  ruleDetail,
  ruleRemedy,
  ruleSentence,
} from '../../texts/rules.ts'
import { useAdmin } from '../admin.ts'
import { BrandFilter, useBrands } from '../brand-filter.tsx'
import { FilterBar, useFilters } from '../filters.tsx'
import { Page } from '../page.tsx'
import { useRead } from '../reading.ts'
import '../../quality/quality.css'

/** The stored findings of the business rules, a brand at a time. */
export const ChecksPage = () => {
  const words = adminTexts().checks
  const filters = useFilters(['brand'])
  const brands = useBrands()
  const brand = filters.values.brand || brands.rows?.[0]?.slug
  return (
    <Page title={words.title} about={words.about}>
      <FilterBar filters={{ isActive: false, reset: filters.reset }}>
        <BrandFilter
          value={brand ?? ''}
          needsOne
          onChange={(next) => filters.set({ brand: next })}
        />
      </FilterBar>
      {brand !== undefined ? (
        <BrandChecks brand={brand} />
      ) : brands.error ? (
        <Failure error={brands.error} onRetry={brands.retry} />
      ) : brands.rows ? (
        <Empty>
          <p>{words.noBrands}</p>
        </Empty>
      ) : (
        <Skeleton lines={8} />
      )}
    </Page>
  )
}

const BrandChecks = ({ brand }: { brand: string }) => {
  const t = texts().quality
  const { apiUrl } = useAdmin().session
  const { data, error, refetch } = useRead<OperatorChecks>('/checks', { brand })
  const { data: sentences } = useQuery({
    queryKey: ['rule sentences', language()],
    // Rules without a translation stay in English.
    queryFn: () => loadRuleSentences().catch((): RuleSentences => ({})),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data || !sentences) return <Skeleton lines={8} />
  return (
    <div className="quality">
      <div>
        {data.checkedAt !== null && (
          <p className="quality-state">
            {t.passed(data.rules.passed, data.rules.total)} ·{' '}
            {data.rules.unchecked > 0 && `${t.unchecked(data.rules.unchecked)} · `}
            <time dateTime={data.checkedAt}>{t.checkedAt(momentText(data.checkedAt))}</time>
          </p>
        )}
        {data.rules.outdated > 0 && <p className="quality-changed">{t.changedSince}</p>}
        <p>
          <a href={`${apiUrl}${qualityLink(brand)}`}>{adminTexts().checks.console}</a>
        </p>
      </div>
      {data.rules.unchecked > 0 && (
        <div className="quality-empty">
          <p>
            {data.checkedAt === null ? t.notChecked : t.partlyChecked(data.rules.unchecked)}{' '}
            {t.howToCheck}
          </p>
          <pre>
            <code>{t.command(brand)}</code>
          </pre>
        </div>
      )}
      {data.findings.length === 0 && data.rules.unchecked === 0 && (
        <p className="quality-empty">{t.allPass(data.rules.total)}</p>
      )}
      {(['error', 'warning'] as const).map((severity) => (
        <Findings key={severity} checks={data} severity={severity} sentences={sentences} />
      ))}
    </div>
  )
}

type Finding = OperatorChecks['findings'][number]

interface FindingsProps {
  readonly checks: OperatorChecks
  readonly severity: Finding['severity']
  readonly sentences: RuleSentences
}

const Findings = ({ checks, severity, sentences }: FindingsProps) => {
  const t = texts().quality
  const findings = checks.findings.filter((each) => each.severity === severity)
  if (findings.length === 0) return null
  const name = severity === 'error' ? 'errors' : 'warnings'
  return (
    <section className={`quality-${name}`} aria-labelledby={`checks-${name}`}>
      <div className="quality-section">
        <h2 id={`checks-${name}`}>{t[name]}</h2>
        <p>{t[`${name}Meaning`]}</p>
        <Trend counts={checks.history.map((check) => check[name])} />
        <p className="quality-count">
          {t.records(findings.reduce((sum, { count }) => sum + count, 0))}
        </p>
      </div>
      {findings.map((finding) => (
        <FoundRule
          key={finding.rule}
          brand={checks.brand}
          finding={finding}
          sentences={sentences}
        />
      ))}
    </section>
  )
}

/** Examples of a rule. The console has all records. */
const shownRecords = 5

interface FoundRuleProps {
  readonly brand: string
  readonly finding: Finding
  readonly sentences: RuleSentences
}

const FoundRule = ({ brand, finding, sentences }: FoundRuleProps) => {
  const t = texts().quality
  const { apiUrl } = useAdmin().session
  const { rule, count, records } = finding
  const sentence = ruleSentence(sentences, finding)
  const remedy = ruleRemedy(sentences, finding)
  const shown = records.slice(0, shownRecords)
  return (
    <article className="finding" aria-labelledby={`finding-${rule}`}>
      <div className="finding-head">
        <h3 id={`finding-${rule}`} lang={sentence.lang}>
          {sentence.text}
        </h3>
        <code>{rule}</code>
        <span />
        <span className="quality-count">{countText(count)}</span>
      </div>
      <p className="finding-remedy">
        <b>{t.whatToDo}</b> <span lang={remedy.lang}>{remedy.text}</span>
      </p>
      <ul className="finding-records">
        {shown.map(({ group, id, title, detail }) => {
          const text = ruleDetail(sentences, rule, detail)
          const name = title ?? id
          return (
            <li key={`${group} ${id} ${detail}`}>
              <span className="finding-record">
                {/* A record with a composite identity has no page. */}
                {id.includes(':') ? (
                  name
                ) : (
                  <a href={`${apiUrl}${recordLink(brand, group, id)}`}>{name}</a>
                )}
              </span>
              <span className="finding-group">{titleOf(group)}</span>
              <span className="finding-detail" lang={text.lang}>
                {text.text}
              </span>
            </li>
          )
        })}
      </ul>
      {count > shown.length && <p className="finding-rest">{t.notListed(count - shown.length)}</p>}
    </article>
  )
}
