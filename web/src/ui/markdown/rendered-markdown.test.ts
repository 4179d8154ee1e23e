import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { RenderedMarkdown } from './rendered-markdown.tsx'

const render = (text: string) => renderToStaticMarkup(createElement(RenderedMarkdown, { text, className: '' }))

describe('Markdown of others', () => {
  it('has headings, lists, tables, tasks and code', () => {
    const html = render(
      '## Found\n\n- [x] one\n- two\n\n| a | b |\n|---|---|\n| 1 | **2** |\n\n```js\nlet a\n```\n~~old~~',
    )
    for (const part of ['<h5', '<li', '<td>1</td>', '<strong>2</strong>', '<pre', '☑', '<del>old</del>'])
      expect(html).toContain(part)
  })

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onclick="alert(1)">bold</b> word',
    '<iframe src="https://example.com"></iframe>',
    '<!-- hidden -->',
  ])('shows raw HTML as the text that it is: %s', (text) => {
    const html = render(text)
    expect(html).not.toMatch(/<(?:script|img|iframe|b )/)
    expect(html).toContain('&lt;')
  })

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<b>)',
    '[x](vbscript:x)',
    '[x](//example.com)',
    '[x](file:///etc/passwd)',
    '<javascript:alert(1)>',
  ])('makes no link of %s', (text) => {
    expect(render(text)).not.toContain('href')
  })

  it('loads no picture, and links to it instead', () => {
    const html = render('![a chart](https://example.com/p.png)')
    expect(html).not.toContain('<img')
    expect(html).toContain('href="https://example.com/p.png"')
    expect(html).toContain('a chart')
  })

  it('opens links without telling the other side who came', () => {
    expect(render('https://example.com')).toMatch(/target="_blank" rel="noopener noreferrer"/)
  })
})
