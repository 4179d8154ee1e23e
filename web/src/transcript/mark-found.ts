// The words of a search, marked where they are drawn. The browser paints them over the text, which stays as it is.
import { type RefObject, useEffect } from 'react'
import { termsOf } from '../../../src/core/agh/transcript/pages.ts'

const NAME = 'found'
/** More than anybody sees at once. */
const MOST_RANGES = 1_000

export function useMarks(list: RefObject<HTMLElement | null>, query: string): void {
  useEffect(() => {
    const element = list.current
    const terms = termsOf(query)
    // Older browsers show the row alone.
    if (!element || terms.length === 0 || !('highlights' in CSS)) return
    const draw = () => CSS.highlights.set(NAME, new Highlight(...rangesOf(element, terms)))
    draw()
    const watch = new MutationObserver(draw)
    watch.observe(element, { childList: true, characterData: true, subtree: true })
    return () => {
      watch.disconnect()
      CSS.highlights.delete(NAME)
    }
  }, [list, query])
}

function rangesOf(element: HTMLElement, terms: readonly string[]): Range[] {
  const ranges: Range[] = []
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  while (texts.nextNode() && ranges.length < MOST_RANGES) {
    const node = texts.currentNode
    for (const [from, to] of offsetsIn(node.nodeValue ?? '', terms)) {
      const range = new Range()
      range.setStart(node, from)
      range.setEnd(node, to)
      ranges.push(range)
    }
  }
  return ranges.slice(0, MOST_RANGES)
}

/** Where the words are, as the search compares them. Pure. */
export function offsetsIn(text: string, terms: readonly string[]): Array<[from: number, to: number]> {
  const lower = text.toLowerCase()
  // Letters that become two: their positions are not those of the text.
  if (lower.length !== text.length) return []
  return terms.flatMap((term) => {
    const found: Array<[number, number]> = []
    for (
      let at = lower.indexOf(term);
      at !== -1 && found.length < MOST_RANGES;
      at = lower.indexOf(term, at + term.length)
    )
      found.push([at, at + term.length])
    return found
  })
}
