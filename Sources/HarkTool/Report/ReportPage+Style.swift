extension ReportPage {
    /// The style sheet of the page, with the colours of the chart.
    static let style = """
        :root { --ground: #ffffff; --text: #1a1a1a; --soft: #6b6b6b; --rule: #d0d0d0; --fill: #3466c2; --reach: #1a1a1a;
        --tile: #f4f5f7; --shade: #00000026 }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--ground); color: var(--text);
        font: 16px/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
        main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
        h1 { margin: 0; font-size: 1.75rem; line-height: 1.2 } h2 { margin: 2.5rem 0 .5rem; font-size: 1.25rem }
        .icon { float: left; width: 3.25rem; height: 3.25rem; margin-right: .75rem }
        h3 { margin: 1.75rem 0 .25rem; font-size: 1rem } p { margin: .5rem 0 } ul { margin: .5rem 0; padding-left: 1.2rem }
        .soft, caption { color: var(--soft); font-size: .875rem } code { font-size: .95em }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .5rem; margin: 1rem 0 0 }
        .tiles div { padding: .6rem .75rem; border-radius: .5rem; background: var(--tile) }
        dt { color: var(--soft); font-size: .8125rem } dd { margin: 0; font-size: 1.375rem; font-weight: 600 }
        figure { margin: 0 } figure svg { display: block; width: 100%; height: auto } figure .narrow { display: none }
        details { margin: .25rem 0 .75rem } summary { cursor: pointer; color: var(--soft); font-size: .875rem }
        .scroll { overflow-x: auto; margin: .75rem 0; background: linear-gradient(to right, var(--ground) 30%, transparent)
        0 0 / 2.5rem 100% no-repeat local, linear-gradient(to left, var(--ground) 30%, transparent) 100% 0 / 2.5rem 100%
        no-repeat local, linear-gradient(to right, var(--shade), transparent) 0 0 / .75rem 100% no-repeat scroll,
        linear-gradient(to left, var(--shade), transparent) 100% 0 / .75rem 100% no-repeat scroll }
        .time { white-space: nowrap } .paper { display: none } .change { font-size: .875rem; font-weight: 400; color: var(--soft); white-space: nowrap }
        .emoji { font-family: "Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", sans-serif }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
        .hours { table-layout: fixed; margin: 1.25rem 0 } .hours th, .hours td { padding: 1px; border: 0; position: relative }
        .hours thead th { font-size: .8125rem } .hours tbody th, .hours thead th:first-child { width: 2.6rem; min-width: 0 }
        .hours td { height: 1.5rem } .hours thead th { white-space: nowrap; overflow: visible }
        .heat { display: block; height: 100%; background: var(--fill); border-radius: 2px;
        print-color-adjust: exact; -webkit-print-color-adjust: exact }
        .hours td { background: var(--tile); background-clip: content-box;
        print-color-adjust: exact; -webkit-print-color-adjust: exact }
        table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
        caption { text-align: left; padding-bottom: .25rem }
        th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top;
        font-weight: 400; font-size: .9375rem }
        thead th { color: var(--soft); font-size: .8125rem; vertical-align: bottom } tbody th { min-width: 7.5rem }
        th, td { overflow-wrap: normal } tbody th, .words { overflow-wrap: anywhere } .words { min-width: 12rem }
        .number { text-align: right; white-space: nowrap; padding-left: .6rem } .bars { width: 40% } td:last-child, th:last-child { padding-right: 0 }
        .track { display: block; position: relative; width: 100%; min-width: 5rem; height: .75rem; margin-top: .35rem }
        .fill { display: block; height: 100%; min-width: 1px; background: var(--fill); border-radius: 2px;
        print-color-adjust: exact; -webkit-print-color-adjust: exact }
        .reach { position: absolute; top: 50%; height: 0; border-top: 2px solid var(--reach); margin-top: -1px; box-shadow: 0 0 0 1px var(--ground);
        print-color-adjust: exact; -webkit-print-color-adjust: exact }
        .scroll:focus-visible { outline: 2px solid var(--fill); outline-offset: 2px }
        @media screen and (prefers-color-scheme: dark) {
        :root { --ground: #1c1c1e; --text: #f0f0f0; --soft: #a0a0a0; --rule: #48484a; --fill: #78a9ff; --reach: #f0f0f0;
        --tile: #2a2a2d; --shade: #00000099 }
        }
        @media screen and (max-width: 46rem) {
        figure .wide { display: none } figure .narrow { display: block; max-width: 30rem }
        .number { padding-left: .2rem } .hours tbody th, .hours thead th:first-child { width: 2.2rem }
        .barred tbody tr { position: relative } .barred tbody th, .barred tbody td { padding-bottom: 1.3rem }
        .barred tbody .bars { position: absolute; left: 0; right: 0; bottom: .35rem; width: auto; padding: 0; border: 0 }
        .time { white-space: normal } .barred .track { margin: 0 } .barred thead .bars { display: none }
        }
        @media print {
        @page { margin: 15mm }
        body { font-size: 11pt } main { max-width: none; padding: 0 } details { display: none } .paper { display: block }
        .scroll { overflow: visible; background: none } tr, figure, .tiles { break-inside: avoid } h2, h3, caption { break-after: avoid }
        .tiles div { border: 1px solid var(--rule); background: none }
        }
        """
}
