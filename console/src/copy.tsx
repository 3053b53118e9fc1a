import { useState } from 'react'

interface CopyProps {
  readonly text: string | (() => string)
  readonly label: string
  readonly className?: string
}

/** A button that copies a text; its label confirms it. */
export const Copy = ({ text, label, className = '' }: CopyProps) => {
  const [result, setResult] = useState<string | null>(null)
  const copy = async () => {
    setResult((await copyText(typeof text === 'string' ? text : text())) ? 'Copied' : 'Not copied')
    setTimeout(() => setResult(null), 1_500)
  }
  return (
    <button type="button" className={`copy ${className}`} onClick={() => void copy()}>
      <span aria-live="polite">{result ?? label}</span>
    </button>
  )
}

/** Whether the text could be copied. Pages without TLS have no Clipboard API and copy a selection. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

const copySelected = (text: string): boolean => {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}
