import { copyText } from '../copy-text.ts'
import { applyTheme, readTheme } from '../theme.ts'
import { findSections, type GuideIndex, type GuideMatch } from './search.ts'
import '../tokens.css'
import './guides.css'

applyTheme(readTheme())

const element = <T extends HTMLElement>(id: string): T => {
  const match = document.getElementById(id)
  if (!match) throw new Error(`The page has no ${id}.`)
  return match as T
}

for (const block of document.querySelectorAll('pre')) addCopy(block)

function addCopy(block: HTMLPreElement): void {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy-code'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const isCopied = await copyText(block.querySelector('code')?.textContent ?? '')
    button.textContent = isCopied ? 'Copied' : 'Not copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1_500)
  })
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  frame.append(block, button)
}

const field = element<HTMLInputElement>('search')
const list = element('matches')
const count = element('match-count')

let selected = 0
let loading: Promise<GuideIndex> | null = null

/** Loads the index when the field is first used. Retries after a failure on the next use. */
const readIndex = (): Promise<GuideIndex> => {
  loading ??= fetch(document.body.dataset['index'] ?? '')
    .then((response) => response.json() as Promise<GuideIndex>)
    .catch((error: unknown) => {
      loading = null
      throw error
    })
  return loading
}

const close = (): void => {
  list.hidden = true
  field.setAttribute('aria-expanded', 'false')
  field.removeAttribute('aria-activedescendant')
}

const select = (place: number): void => {
  const options = [...list.querySelectorAll('a')]
  if (options.length === 0) return
  selected = (place + options.length) % options.length
  for (const [index, option] of options.entries()) {
    option.setAttribute('aria-selected', String(index === selected))
  }
  field.setAttribute('aria-activedescendant', options[selected]?.id ?? '')
  options[selected]?.scrollIntoView({ block: 'nearest' })
}

const show = (matches: readonly GuideMatch[], text: string): void => {
  count.textContent =
    matches.length === 0 ? `Nothing found for “${text}”.` : `${matches.length} found.`
  list.replaceChildren(...matches.map(optionOf))
  if (matches.length === 0) {
    const none = document.createElement('p')
    none.textContent = count.textContent
    list.append(none)
  }
  list.hidden = false
  field.setAttribute('aria-expanded', 'true')
  select(0)
}

const optionOf = ({ address, title, heading, excerpt }: GuideMatch, place: number) => {
  const option = document.createElement('a')
  option.id = `match-${place}`
  option.role = 'option'
  option.href = address
  option.tabIndex = -1
  for (const [name, text] of [
    ['strong', heading === '' ? title : `${title} › ${heading}`],
    ['span', excerpt],
  ] as const) {
    option.append(Object.assign(document.createElement(name), { textContent: text }))
  }
  return option
}

const search = async (): Promise<void> => {
  const text = field.value
  if (text.trim() === '') return close()
  try {
    const matches = findSections(await readIndex(), text)
    if (field.value === text) show(matches, text)
  } catch {
    count.textContent = 'The search could not be loaded. Type again to try again.'
  }
}

field.addEventListener('focus', () => void readIndex().catch(() => undefined), { once: true })
field.addEventListener('input', () => void search())
field.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (list.hidden) return
  if (step) select(selected + step)
  else if (event.key === 'Escape') close()
  else if (event.key === 'Enter') {
    const option = list.querySelectorAll('a')[selected]
    close()
    option?.click()
  } else return
  event.preventDefault()
})
document.addEventListener('pointerdown', ({ target }) => {
  if (target instanceof Node && !field.parentElement?.contains(target)) close()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === field) return
  event.preventDefault()
  field.focus()
})
