/** CSP nonce for the style sheet that dialogs insert to lock scrolling. */

declare global {
  /** Read by react-remove-scroll, the library behind the dialogs. */
  var __webpack_nonce__: string | undefined
}

globalThis.__webpack_nonce__ = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
