/** Lets dialogs and menus put their one style sheet, which stops the page behind them from scrolling, past the content policy. */

declare global {
  /** Where the library behind them looks for the nonce of this page. */
  var __webpack_nonce__: string | undefined
}

globalThis.__webpack_nonce__ = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
