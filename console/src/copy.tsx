import { useState } from 'react'
import { copyText } from './copy-text.ts'
import { texts } from './texts/index.ts'

interface CopyProps {
  readonly text: string | (() => string)
  readonly label: string
  readonly className?: string
}

/** A button that copies a text and confirms it in its label. */
export const Copy = ({ text, label, className = '' }: CopyProps) => {
  const [result, setResult] = useState<string | null>(null)
  const copy = async () => {
    const { copied, notCopied } = texts().states
    setResult((await copyText(typeof text === 'string' ? text : text())) ? copied : notCopied)
    setTimeout(() => setResult(null), 1_500)
  }
  return (
    <button type="button" className={`copy ${className}`} onClick={() => void copy()}>
      <span aria-live="polite">{result ?? label}</span>
    </button>
  )
}
