import { useState } from 'react'
import { useLocation } from 'wouter'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { useFilters } from '../filters.tsx'
import { Page } from '../page.tsx'
import { BrandStep } from './brand-step.tsx'
import { ImportFlow } from './import-flow.tsx'
import { KeyStep } from './key-step.tsx'
import { RequestStep } from './request-step.tsx'

const steps = ['brand', 'records', 'key', 'request'] as const
type Step = (typeof steps)[number]

/** Leads from an empty installation to its first response: brand, records, key, request. */
export const FirstPage = () => {
  const words = adminTexts().first
  const { refreshSession } = useAdmin()
  const [, navigate] = useLocation()
  const filters = useFilters(['step', 'brand', 'upload'])
  const { brand, upload } = filters.values
  /** Shown once: it is in no address, and gone after a reload. */
  const [key, setKey] = useState<string | null>(null)
  const [hasRecords, setHasRecords] = useState(false)
  const urlStep = steps.find((each) => each === filters.values.step) ?? 'brand'
  const step: Step =
    brand === '' ? 'brand' : urlStep === 'request' && key === null ? 'key' : urlStep
  const go = (next: Step, changes: { brand?: string } = {}) =>
    filters.set({ step: next, upload: '', ...changes })
  const finish = () => {
    refreshSession()
    navigate('/brands')
  }
  return (
    <Page title={words.title} about={words.about}>
      <ol className="first-steps" aria-label={words.steps}>
        {steps.map((each) => (
          <li
            key={each}
            aria-current={each === step ? 'step' : undefined}
            data-done={steps.indexOf(each) < steps.indexOf(step)}
          >
            {words.stepTitles[each]}
          </li>
        ))}
      </ol>
      {step === 'brand' && <BrandStep onAdded={(slug) => go('records', { brand: slug })} />}
      {step === 'records' && (
        <section className="first-step">
          <h2>{words.recordsTitle}</h2>
          <p>{words.recordsAbout}</p>
          <ImportFlow
            brand={brand}
            uploadId={upload || null}
            onUploadId={(id) => filters.set({ upload: id ?? '' })}
            onImported={() => setHasRecords(true)}
            next={
              <button type="button" className="primary" onClick={() => go('key')}>
                {words.toKey}
              </button>
            }
          />
          {!hasRecords && (
            <p>
              <button type="button" onClick={() => go('key')}>
                {words.skip}
              </button>
            </p>
          )}
        </section>
      )}
      {step === 'key' && (
        <KeyStep brand={brand} issued={key} onIssued={setKey} onNext={() => go('request')} />
      )}
      {step === 'request' && key !== null && (
        <RequestStep brand={brand} operatorKey={key} onFinish={finish} />
      )}
    </Page>
  )
}
